import { byName, Counts } from '../../base/counts.ts';
import {
  type DatasetRow,
  flagReaders,
  lossRules,
  type MaskFlag,
  type MaskSource,
  type PairSide,
} from '../../schemas/rows/datasetRow.ts';
import type { DatasetPart, SourceRow } from './datasetFiles.ts';
import type { CheckedTokens, CheckSettings } from './rowFindings.ts';
import type { CheckedPart, CheckTotals, Finding } from './rules.ts';

export interface CheckEvent {
  readonly findings: readonly Finding[];
  readonly source?: SourceRow | undefined;
}

/** Result for a row; `source` is absent for a missing row. */
export interface RowReport extends CheckEvent {
  /** Index among the rows of its split, from 0; -1 without one. */
  readonly place: number;
  readonly side?: PairSide | undefined;
  readonly said?: DatasetRow;
  readonly tokens?: CheckedTokens | undefined;
  readonly profile?: { readonly name: string; readonly isGuessed: boolean } | undefined;
}

interface FileCounts {
  rows: number;
  tokens: number;
  trained: number;
}

/** Running sums over the rows of one part. */
export class PartTally {
  readonly #named: Pick<CheckedPart, 'path' | 'tokenizer'>;
  readonly #isOwn: boolean;
  readonly #flags = new Set<MaskFlag>();
  readonly #tags = new Map<string, { tokens: number; trained: number }>();
  readonly #profiles = new Counts();
  readonly files: ReadonlyMap<string, FileCounts>;
  /** Rows whose end was cut off to fit. */
  openRows = 0;
  #said: DatasetRow | undefined;
  #checked = 0;
  #guessed = 0;
  #withFindings = 0;
  #chosenHasFindings = false;

  constructor({ path, files }: DatasetPart, { tokenText, own }: CheckSettings) {
    this.#named = { path, tokenizer: tokenText.name };
    this.#isOwn = own;
    this.files = new Map(files.map((file) => [file, { rows: 0, tokens: 0, trained: 0 }]));
  }

  add({ source, said, side, findings, tokens, profile }: RowReport): void {
    const isSecond = side === 'rejected';
    if (findings.length > 0 && !(isSecond && this.#chosenHasFindings)) this.#withFindings += 1;
    this.#chosenHasFindings = !isSecond && findings.length > 0;
    if (!source) return;
    this.#said ??= said;
    if (said?.maskFlag !== undefined) this.#flags.add(said.maskFlag);
    const counts = this.files.get(source.file)!;
    if (tokens) this.#addTokens(tokens, counts);
    if (isSecond) return;
    counts.rows += 1;
    if (tokens) this.#checked += 1;
    if (profile) this.#profiles.add(profile.name);
    if (profile?.isGuessed) this.#guessed += 1;
  }

  #addTokens({ row, trained, spanOfToken, isOpen }: CheckedTokens, counts: FileCounts): void {
    if (isOpen) this.openRows += 1;
    counts.tokens += row.ids.length;
    counts.trained += trained.reduce((sum, bit) => sum + bit, 0);
    for (const [token, { tag }] of spanOfToken.entries()) {
      const share = this.#tags.get(tag) ?? { tokens: 0, trained: 0 };
      this.#tags.set(tag, share);
      share.tokens += 1;
      share.trained += trained[token] ?? 0;
    }
  }

  get maskedBy(): MaskSource | undefined {
    return this.#said?.maskedBy;
  }

  get isWhole(): boolean {
    return this.#checked === this.#sum('rows');
  }

  #sum(count: keyof FileCounts): number {
    return [...this.files.values()].reduce((sum, counts) => sum + counts[count], 0);
  }

  /** Null for rows written by coa-distill. */
  get #lossRule(): string | null {
    if (this.#isOwn || !this.#said) return null;
    const ofFlags = [...this.#flags].map(
      (flag) => `; ${flag} leaves turns out for ${flagReaders[flag]} alone`,
    );
    return lossRules[this.#said.maskedBy] + ofFlags.join('');
  }

  get part(): CheckedPart {
    return {
      ...this.#named,
      layout: this.#said?.format ?? 'unknown',
      rows: this.#sum('rows'),
      checked: this.#checked,
      tokens: this.#sum('tokens'),
      trained_tokens: this.#sum('trained'),
      loss_rule: this.#lossRule,
      rows_with_findings: this.#withFindings,
      by_tag: byName(this.#tags),
      profiles: byName(this.#profiles),
      guessed: this.#guessed,
    };
  }
}

/** Running sums over all checked parts. */
export class CheckTally {
  readonly #byRule = new Counts();
  #errors = 0;
  readonly parts: PartTally[] = [];

  add(rule: string, isError: boolean): void {
    this.#byRule.add(rule);
    if (isError) this.#errors += 1;
  }

  get totals(): CheckTotals {
    return {
      findings: [...this.#byRule.values()].reduce((sum, count) => sum + count, 0),
      errors: this.#errors,
      by_rule: Object.fromEntries([...this.#byRule].sort(([, a], [, b]) => b - a)),
      parts: this.parts.map((sums) => sums.part),
    };
  }
}
