import type { JsonObject } from '../../base/json.ts';
import { dropRecord, type StageOutcome } from '../../contract/stage.ts';
import type { DropReason } from '../../schemas/dropReasons.ts';
import type { CheckVerdict, Effort } from '../../schemas/taskSynthesis.ts';
import type { Candidate } from '../records/candidate.ts';
import type { SynthesizeConfig } from '../synthesizeConfig.ts';
import type { Inquiry } from './askAbout.ts';
import { type AskedRuleName, reasonOf, type Tally, verdictOf } from './rules/askedRules.ts';

export class Gate {
  readonly candidate: Candidate & { readonly question: string };
  readonly #config: SynthesizeConfig;
  readonly #inquiry: Inquiry;
  readonly #verdicts: CheckVerdict[] = [];
  #effort: Effort;
  dropped: StageOutcome<never> | undefined;

  constructor(candidate: Candidate, config: SynthesizeConfig, inquiry: Inquiry) {
    this.candidate = { ...candidate, question: candidate.question ?? '' };
    this.#config = config;
    this.#inquiry = inquiry;
    this.#effort = candidate.effort;
  }

  get passed(): Candidate {
    const { candidate } = this;
    return {
      ...candidate,
      checks: [...candidate.checks, ...this.#verdicts],
      effort: this.#effort,
      spent: this.#inquiry.spent,
    };
  }

  measured(effort: Effort): void {
    this.#effort = { ...this.#effort, ...effort };
  }

  /** Records the answers of models. */
  decide(name: AskedRuleName, tally: Tally, evidence: JsonObject): void {
    const verdict = verdictOf(name, tally, this.#config.check);
    if (verdict) this.note({ ...verdict, evidence }, reasonOf(name));
  }

  /** Records a verdict; a failed one drops the candidate for the reason. */
  note(verdict: CheckVerdict, reason: DropReason): void {
    this.#verdicts.push(verdict);
    if (verdict.verdict === 'pass') return;
    const { question, answers, form, chain } = this.candidate;
    const { checks, effort, spent } = this.passed;
    this.dropped = dropRecord(reason, { question, answers, form, chain, checks, effort, spent });
  }
}
