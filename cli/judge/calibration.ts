import type { LabelledAnswer } from '../../operations/labelledAnswers.ts';
import type { CalibratedJudge, CalibrationLine } from '../../schemas/judgeCalibration.ts';
import { cutText } from '../../stages/judge/answerFinding.ts';
import { Agreement, type CalibratedRow, type JudgedRow } from '../../stages/judge/calibrateRow.ts';

/** A judge and a label that differ, see {@link CalibrationLine}. */
export type Disagreement = Extract<CalibrationLine, { disagreement: object }>['disagreement'];

/** The totals of a calibration, see {@link CalibrationLine}. */
export type CalibrationTotals = Extract<CalibrationLine, { totals: object }>['totals'];

/** Gathers what judges make of labelled answers. Disagreements alone are held. */
export class Calibration {
  readonly #shown: CalibratedJudge;
  readonly #agreements: ReadonlyMap<CalibratedJudge, Agreement>;
  readonly #disagreements: Disagreement[] = [];
  readonly #rows = { rows: 0, correct: 0 };
  /** Answers that the model was asked about, and why it could not be asked. */
  #asked = 0;
  readonly #cutShort: string[] = [];

  /** @param shown the judge whose disagreements are gathered, one of `judges` */
  constructor(judges: readonly CalibratedJudge[], shown: CalibratedJudge) {
    this.#shown = shown;
    this.#agreements = new Map(judges.map((judge) => [judge, new Agreement(judge)]));
  }

  add(labelled: LabelledAnswer, calibrated: CalibratedRow): void {
    const { correct } = labelled.row;
    const { rule, model } = calibrated;
    this.#rows.rows += 1;
    if (correct) this.#rows.correct += 1;
    if (model && model !== rule) this.#asked += 1;
    if (model && model !== rule && model.isCutShort) this.#cutShort.push(model.why);
    for (const [judge, agreement] of this.#agreements) {
      const word = wordOf(judge, calibrated);
      agreement.add(correct, word);
      const differs = word.judged !== (correct ? 'correct' : 'incorrect');
      if (judge === this.#shown && differs) this.#disagreements.push(disagreement(judge, labelled, word));
    }
  }

  /** Why the model could not be asked about a single answer; undefined when it could, or need not be asked. */
  get neverAsked(): string | undefined {
    return this.#cutShort.length === this.#asked ? this.#cutShort[0] : undefined;
  }

  /** In the order of the file. */
  disagreements(): Disagreement[] {
    return this.#disagreements.toSorted((a, b) => a.line - b.line);
  }

  totals(): CalibrationTotals {
    return { ...this.#rows, judges: [...this.#agreements.values()].map((agreement) => agreement.result()) };
  }
}

/** The rule's word costs nothing; where it finds a match, `rule_then_model` asks no further. */
function wordOf(judge: CalibratedJudge, { rule, model }: CalibratedRow): JudgedRow {
  if (judge === 'rule' || !model) return rule;
  return judge === 'rule_then_model' && rule.judged === 'correct' ? rule : model;
}

function disagreement(
  judge: CalibratedJudge,
  { line, row }: LabelledAnswer,
  { judged, why }: JudgedRow,
): Disagreement {
  return {
    line,
    judge,
    label: row.correct ? 'correct' : 'incorrect',
    judged,
    question: cutText(row.question),
    prediction: cutText(row.prediction),
    answers: row.answers.slice(0, 20).map((answer) => cutText(answer)),
    why: cutText(why),
  };
}
