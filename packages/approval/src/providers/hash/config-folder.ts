/**
 * The user's configuration folder: policy, trust, the key of approvals and grants for the user.
 */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** `TOOLSEAM_CONFIG_DIR`, else `$XDG_CONFIG_HOME/toolseam`, else `~/.config/toolseam`. Read anew each time. */
export function configFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { TOOLSEAM_CONFIG_DIR: own, XDG_CONFIG_HOME: base } = env
  if (own !== undefined && own !== '') return resolve(own)
  // The XDG specification: a relative path is invalid and is ignored.
  return join(base !== undefined && base.startsWith('/') ? base : join(homedir(), '.config'), 'toolseam')
}
