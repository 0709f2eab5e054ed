import { sectionRow } from '../toolRow.ts';

export const codeRow = sectionRow('code', {
  async open({ timeout_s, max_output_chars, output_cut }, { sandbox }) {
    if (!sandbox) return undefined;
    const { createCodeTool } = await import('./createCodeTool.ts');
    const shown = { maxChars: max_output_chars, cut: output_cut };
    return createCodeTool({ sandbox, timeoutMs: timeout_s * 1000, shown });
  },
});
