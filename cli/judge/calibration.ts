import type { LabelledAnswer } from '../../operations/labelledAnswers.ts';
import type { CalibratedJudge, CalibrationLine } from '../../schemas/judgeCalibration.ts';
import { cutText } from '../../stages/judge/answerFinding.ts';
import { Agreement, type CalibratedRow, type JudgedRow } from '../../stages/judge/calibrateRow.ts';

export type Disagreement = Extract<CalibrationLine, { disagreement: object }>['disagreement'];

export type CalibrationTotals = Extract<CalibrationLine, { totals: object }>['totals'];

/** Compares judges with labelled answers. Only holds disagreements. */
export class Calibration {
  readonly #shown: CalibratedJudge;
  readonly #agreements: ReadonlyMap<CalibratedJudge, Agreement>;
  readonly #disagreements: Disagreement[] = [];
  readonly #rows = { rows: 0, correct: 0 };
  /** Answers sent to the model, and the reason for failed requests. */
  #asked = 0;
  readonly #cutShort: string[] = [];

  /** @param shown the judge whose disagreements are collected, one of `judges` */
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

  /** Reason why no request to the model succeeded; undefined if one did, or none was needed. */
  get neverAsked(): string | undefined {
    return this.#cutShort.length === this.#asked ? this.#cutShort[0] : undefined;
  }

  disagreements(): Disagreement[] {
    return this.#disagreements.toSorted((a, b) => a.line - b.line);
  }

  totals(): CalibrationTotals {
    return { ...this.#rows, judges: [...this.#agreements.values()].map((agreement) => agreement.result()) };
  }
}

/** Verdict by rule, which is free; on a match, `rule_then_model` stops there. */
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
