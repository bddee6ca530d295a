/**
 * Content blocks: what a model is shown. Shapes and names are those of the Model Context Protocol.
 */
import type { JsonValue } from './json.ts'

interface BlockMeta {
  annotations?: { [key: string]: JsonValue }
  _meta?: { [key: string]: JsonValue }
}

export interface TextContent extends BlockMeta {
  type: 'text'
  text: string
}

/** `data` is base64. */
export interface ImageContent extends BlockMeta {
  type: 'image'
  data: string
  mimeType: string
}

/** `data` is base64. */
export interface AudioContent extends BlockMeta {
  type: 'audio'
  data: string
  mimeType: string
}

export interface ResourceLink extends BlockMeta {
  type: 'resource_link'
  uri: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  size?: number
}

export interface EmbeddedResource extends BlockMeta {
  type: 'resource'
  resource: { uri: string; mimeType?: string; text: string } | { uri: string; mimeType?: string; blob: string }
}

export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
