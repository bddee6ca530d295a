import { runFileSystemContract } from '../src/testing.ts'
import { diskWorld, memoryWorld, overlayWorld } from './worlds.ts'

runFileSystemContract('rooted, descriptor walk', () => diskWorld())
runFileSystemContract('rooted, path walk (F-13)', () => diskWorld({ walk: 'path' }))
runFileSystemContract('memory', memoryWorld)
runFileSystemContract('overlay', overlayWorld)
