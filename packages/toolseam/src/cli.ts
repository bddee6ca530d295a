#!/usr/bin/env node
/** The command `toolseam`. */
import { main } from './program.ts'

// Explicitly: a plugin that left a timer behind must not keep the command from ending. All output has been handed on by now.
process.exit(await main(process.argv.slice(2)))
