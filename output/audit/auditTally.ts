import { byName, Counts } from '../../base/counts.ts';
import type { AuditedPart, AuditFinding, AuditTotals, TagShare, TrainerResult } from '../../schemas/audit.ts';
import type { DatasetRow, MaskSource } from '../../schemas/rows/datasetRow.ts';
import type { RowReport } from './auditPart.ts';
import type { FileCounts } from './fileProblems.ts';
import type { DatasetPart } from './read/datasetParts.ts';
import type { CheckedRow } from './rows/checkRow.ts';

/** Running sums over the rows of one part. */
export class PartTally {
  readonly #path: string;
  readonly #tags = new Map<string, TagShare>();
  /** By file, in the order in which they were read. */
  readonly files = new Map<string, FileCounts>();
  /** Rows whose end was cut off to fit. */
  openRows = 0;
  #said: DatasetRow | undefined;
  #checked = 0;
  #withFindings = 0;
  /** Whether the chosen side of the row had findings: its rejected one follows. */
  #chosenHasFindings = false;

  constructor(part: DatasetPart) {
    this.#path = part.path;
    // A file that lost all its rows is to be counted too.
    for (const file of part.files) this.files.set(file, { rows: 0, tokens: 0, trained: 0 });
  }

  /** Counts one more row. */
  add({ file, row, said, side, findings, checked }: RowReport): void {
    const isSecond = side === 'rejected';
    const isCounted = isSecond && this.#chosenHasFindings;
    if (findings.length > 0 && !isCounted) this.#withFindings += 1;
    this.#chosenHasFindings = !isSecond && findings.length > 0;
    if (row === null) return;
    this.#said ??= said;
    const counts = this.files.get(file)!;
    if (!isSecond) counts.rows += 1;
    if (checked && !isSecond) this.#checked += 1;
    if (checked) this.#addTokens(checked, counts);
  }

  #addTokens({ row, trained, spanOfToken, isOpen }: CheckedRow, counts: FileCounts): void {
    if (isOpen) this.openRows += 1;
    counts.tokens += row.ids.length;
    counts.trained += trained.reduce((sum, bit) => sum + bit, 0);
    for (const [token, span] of spanOfToken.entries()) {
      const share = this.#tags.get(span.tag) ?? { tokens: 0, trained: 0 };
      this.#tags.set(span.tag, share);
      share.tokens += 1;
      share.trained += trained[token] ?? 0;
    }
  }

  /** What says which tokens of the rows are in the loss; undefined before the first. */
  get maskedBy(): MaskSource | undefined {
    return this.#said?.maskedBy;
  }

  get isWhole(): boolean {
    return this.#checked === this.#sum('rows');
  }

  #sum(count: keyof FileCounts): number {
    return [...this.files.values()].reduce((sum, counts) => sum + counts[count], 0);
  }

  /** The sums so far. */
  get part(): AuditedPart {
    return {
      path: this.#path,
      layout: this.#said?.format ?? 'unknown',
      rows: this.#sum('rows'),
      checked: this.#checked,
      tokens: this.#sum('tokens'),
      trained_tokens: this.#sum('trained'),
      rows_with_findings: this.#withFindings,
      by_tag: byName(this.#tags),
    };
  }
}

/** Running sums over a whole audit. */
export class AuditTally {
  readonly #byKind = new Counts();
  readonly parts: PartTally[] = [];
  readonly trainers: TrainerResult[] = [];

  /** Counts findings. */
  add(findings: readonly AuditFinding[]): void {
    for (const { kind } of findings) this.#byKind.add(kind);
  }

  /** The sums so far. */
  totals(tokenizer: string): AuditTotals {
    return {
      tokenizer,
      findings: [...this.#byKind.values()].reduce((sum, count) => sum + count, 0),
      by_kind: Object.fromEntries([...this.#byKind].sort(([, a], [, b]) => b - a)),
      parts: this.parts.map((tally) => tally.part),
      trainers: this.trainers,
    };
  }
}

/** Parts whose counts are the same, tag by tag, together: all formats of a dataset, unless one is another. */
export function partsThatAgree(parts: readonly AuditedPart[]): readonly AuditedPart[][] {
  const countsOf = ({ rows, checked, tokens, by_tag }: AuditedPart): string =>
    JSON.stringify([rows, checked, tokens, by_tag]);
  return [...Map.groupBy(parts, countsOf).values()];
}
