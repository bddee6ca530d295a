/**
 * The table of `docs/presets.md`.
 */
import { POLICY_PRESETS } from '../definition/policy-file.ts'
import { PRESET_TABLE } from './presets.ts'

export function renderPresetTable(): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const head = line(['call', ...POLICY_PRESETS.map((preset) => `\`${preset}\``)])
  const rows = Object.values(PRESET_TABLE).map(({ call, cells }) => line([call, ...POLICY_PRESETS.map((preset) => cells[preset])]))
  return [head, line(['---', ...POLICY_PRESETS.map(() => '---')]), ...rows].join('\n')
}
