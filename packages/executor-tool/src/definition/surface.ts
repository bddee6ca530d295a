/**
 * Surfaces are declared in core-tools, since every tool package needs them; they are part of this package's vocabulary too.
 */
export { deniedSurface, SurfaceDeniedError, surfaceFor } from '@toolseam/core-tools'
export type { DeniedSurface, SurfaceAccess, SurfaceCapability, ToolDomainSurface, UserFacingSurface } from '@toolseam/core-tools'
