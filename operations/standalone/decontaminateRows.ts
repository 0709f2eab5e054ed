import type { DecontaminateConfig } from '../../schemas/config/decontaminate.ts';
import { createDecontaminateStage } from '../../stages/decontaminate/createDecontaminateStage.ts';
import type { RowRecord, RowStage } from './rowStage.ts';
import { type QuestionOptions, rowIdentity, rowQuestion } from './sourceRow.ts';

interface AskedRow extends RowRecord {
  readonly question: string;
}

/** The stage `decontaminate` on rows: drops those whose question stands in a benchmark. */
export function decontaminateRows(
  options: QuestionOptions & { readonly config: DecontaminateConfig },
): RowStage<AskedRow> {
  return {
    kind: 'corpus',
    isStreaming: true,
    stage: createDecontaminateStage(options.config),
    read: (row) => ({ record: { ...rowIdentity(row), question: rowQuestion(row, options) } }),
  };
}
