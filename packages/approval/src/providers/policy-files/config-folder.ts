/**
 * The user's configuration folder: `TOOLSEAM_CONFIG_DIR`, else `$XDG_CONFIG_HOME/toolseam`, else `~/.config/toolseam`.
 */
import { homedir } from 'node:os'
import { join } from 'node:path'

export function configFolder(env: { readonly [name: string]: string | undefined } = process.env): string {
  const own = env['TOOLSEAM_CONFIG_DIR']
  if (own !== undefined && own !== '') return own
  const base = env['XDG_CONFIG_HOME']
  return join(base !== undefined && base !== '' ? base : join(homedir(), '.config'), 'toolseam')
}
