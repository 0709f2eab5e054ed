import { dropRecord, emitRecord, type RecordStage, type StageContext } from '../../contract/stage.ts';
import { type Candidate, candidateSchema, type Round } from '../records/candidate.ts';
import type { SynthesisRoles } from '../roles.ts';
import { Inquiry } from './askAbout.ts';
import type { InquiryOptions } from './createCheckStage.ts';
import { aimedHops, GROW_ATTEMPTS, grown, MAX_GROW_STEPS, nextStep } from './grow/nextStep.ts';
import { measureWithTools } from './measureWithTools.ts';
import { type Corpus, firstFinding } from './rules/examined.ts';
import { formRules } from './rules/formRules.ts';
import { writingRules } from './rules/wordRules.ts';

/**
 * Creates the stage `grow`: extends a fact to a multi-hop question and words it. A step rejected by a rule is undone
 * and recorded with its reason. The stage `check` tests if models can answer it.
 */
export function createGrowStage(options: InquiryOptions): RecordStage<Candidate, Candidate> {
  return {
    name: 'grow',
    version: 2,
    input: candidateSchema,
    output: candidateSchema,
    concurrency: options.concurrency,
    async prepare() {
      await options.openRoles();
    },
    async run(candidate, context) {
      const corpus = await options.openCorpus();
      const found = firstFinding(formRules, candidate, corpus);
      if (found)
        return dropRecord(found.reason, { check: found.name, ...found.evidence, chain: candidate.chain });
      const growing = new Growing(
        candidate,
        { ...options, corpus, roles: await options.openRoles() },
        context,
      );
      return growing.run();
    },
  };
}

interface GrowParts extends Pick<InquiryOptions, 'config' | 'judge'> {
  readonly corpus: Corpus;
  readonly roles: SynthesisRoles;
}

class Growing {
  readonly #parts: GrowParts;
  readonly #inquiry: Inquiry;
  #now: Candidate;
  #steps = 0;

  constructor(candidate: Candidate, parts: GrowParts, context: StageContext) {
    this.#parts = parts;
    this.#now = candidate;
    this.#inquiry = new Inquiry(candidate.task_id, candidate.spent, { ...context, stage: 'grow' });
  }

  async run() {
    const { hops, until } = this.#parts.config.grow;
    const fails = until === 'solver_fails';
    await this.#growTo(fails ? hops.min : aimedHops(this.#now, this.#parts.config.grow));
    if (this.#now.hops < hops.min) return this.#tooFew(hops.min);
    await this.#write();
    while (fails && this.#now.hops < hops.max && (await this.#isTooEasy())) {
      const before = this.#now.hops;
      await this.#growTo(before + 1);
      if (this.#now.hops === before) break;
      await this.#write();
    }
    return emitRecord(this.#done());
  }

  #done(): Candidate {
    return { ...this.#now, spent: this.#inquiry.spent };
  }

  #tooFew(min: number) {
    const { rounds, chain, hops } = this.#now;
    const reasons = rounds.flatMap(({ op, reason }) => (reason ? [{ op, reason }] : []));
    return dropRecord('too_few_hops', { hops, min, rejected: reasons, chain, spent: this.#inquiry.spent });
  }

  /** Adds steps until the number of hops is reached, none is left, or too many in a row were undone. */
  async #growTo(hops: number): Promise<void> {
    for (
      let rejected = 0;
      rejected < GROW_ATTEMPTS && this.#steps < MAX_GROW_STEPS && this.#now.hops < hops;
    ) {
      const isKept = await this.#step();
      if (isKept === undefined) return;
      rejected = isKept ? 0 : rejected + 1;
    }
  }

  /** Adds one step: true if kept, false if every tried one was undone, undefined if none exists. */
  async #step(): Promise<boolean | undefined> {
    const { roles, corpus, config } = this.#parts;
    const next = nextStep(this.#now, corpus, config.grow);
    if (!next) return undefined;
    this.#steps++;
    const { op, options, rejected } = next;
    this.#now = { ...this.#now, rounds: [...this.#now.rounds, ...rejected] };
    if (options.length === 0) return false;
    const { form } = this.#now;
    const { value } = await this.#inquiry.ask((context) => roles.link(form, options, context), this.#steps);
    if (value === null) {
      const refused = options.map(
        (option): Round => ({ op, form: option.form, evidence: { refused_by: 'link' } }),
      );
      this.#now = { ...this.#now, rounds: [...this.#now.rounds, ...refused] };
      return false;
    }
    this.#now = grown(this.#now, op, options[value]!, corpus);
    return true;
  }

  /** Words the question; wording rejected by a rule is retried, and the last attempt is kept. */
  async #write(): Promise<void> {
    const { roles, corpus } = this.#parts;
    for (let attempt = 0; attempt < GROW_ATTEMPTS; attempt++) {
      const { form } = this.#now;
      const asked = await this.#inquiry.ask((context) => roles.write(form, context), attempt);
      this.#now = { ...this.#now, question: asked.value };
      if (!firstFinding(writingRules, this.#now, corpus)) return;
    }
  }

  /** True if the solver answers it more often than wanted; always false without a solver with tools. */
  async #isTooEasy(): Promise<boolean> {
    const { config, roles, judge } = this.#parts;
    const { tools } = config.check;
    if (!tools) return false;
    const { question = '', answers } = this.#now;
    const { tally, effort } = await measureWithTools({ question, answers }, tools.tries, {
      ...{ roles, judge, inquiry: this.#inquiry },
    });
    this.#now = { ...this.#now, effort: { ...this.#now.effort, ...effort } };
    return tally.passed / tally.tries > tools.max_pass_rate;
  }
}
