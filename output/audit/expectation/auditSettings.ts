import type { AuditFindingKind } from '../../../schemas/audit.ts';
import type { Profile } from '../../../schemas/coa/profile.ts';
import type { MaskConfig } from '../../../schemas/config/dataset.ts';
import type { TokenText } from '../tokenText.ts';

export interface AuditSettings {
  readonly tokenText: TokenText;
  readonly mask: MaskConfig;
  /** Most tokens of a row; null where nobody says. */
  readonly cutoffLen: number | null;
  /** Whether rows may end without an end of turn, because their end was cut off to fit. */
  readonly mayBeCut: boolean;
  /** Whether the dataset's pieces were encoded each by itself. */
  readonly encodedApart: boolean;
  /** Whether the rows are coa-distill's own: their layout is known to the byte. */
  readonly own: boolean;
  /** Whether the trainer has the whole answer in the loss, as our README of that layout says; absent: no. */
  readonly trainsWholeAnswers?: boolean;
  /** The tag of tools' outputs in other people's rows, where the user says it. */
  readonly observationTag?: string | undefined;
  /** Profiles that trajectories name. */
  readonly profileOf: (name: string) => Profile | undefined;
}

/** Something wrong with a row, with the token where it shows; null where it concerns the row as a whole. */
export interface RowProblem {
  readonly kind: AuditFindingKind;
  readonly message: string;
  readonly token: number | null;
  readonly tokens: number;
}
