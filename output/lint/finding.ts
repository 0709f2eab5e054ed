import type { PairSide } from '../../schemas/audit.ts';
import type { Severity } from './rules/rule.ts';
import type { RuleId } from './rules/ruleTable.ts';

/** Something a rule has to say about a row's text. */
export interface TextFinding {
  readonly rule: RuleId;
  /** UTF-16 code units from the start of the row's trajectory text. */
  readonly offset: number;
  readonly message: string;
}

/** A finding with its place in a file. */
export interface LintFinding extends TextFinding {
  /** Path as the user gave it. */
  readonly file: string;
  /** Place of the row among the file's rows, from 1. */
  readonly row: number;
  /** Side of the row, where it is a pair. */
  readonly side?: PairSide;
  /** Line of the file on which the row begins, from 1; null where the format has no lines. */
  readonly file_line: number | null;
  /** Line and column within the row's trajectory text, from 1; columns count UTF-16 code units. */
  readonly line: number;
  readonly column: number;
  readonly severity: Severity;
  /** The profile that the row was checked against; null for rules that need none. */
  readonly profile: string | null;
}
