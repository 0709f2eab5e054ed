import { UserError } from '../../base/userError.ts';
import type { Config } from '../../schemas/config/config.ts';
import { runAsksJudgeModel } from '../../schemas/config/resolved/endpoints.ts';
import { memberConfigs } from '../../schemas/config/resolved/mixture.ts';
import {
  type ModelSection,
  roleModel,
  type SectionModel,
  sectionModel,
} from '../../schemas/config/resolved/sectionModel.ts';
import { askedToolModels } from '../../schemas/config/resolved/toolModels.ts';
import { asksEndpoint } from '../../schemas/config/teacherBackends.ts';
import { roleSchema } from '../../schemas/trace.ts';
import type { Caps } from './spendingMeter.ts';

/**
 * Caps of a configuration.
 * @param wanted - Tools that the run's profiles call: the models of others are not asked
 * @param makers - Models that make tasks; they are asked in place of the teacher
 * @throws UserError when a cap could not be kept: the worst case of a call needs a price and a bound of its answer
 */
export function capsOf(config: Config, wanted: ReadonlySet<string>, makers?: readonly SectionModel[]): Caps {
  const { max_cost_usd: maxCostUsd, max_tokens: maxTokens } = config.budget;
  if (makers) for (const asked of makers) assertIsBounded(config, asked);
  else assertRun(config);
  if (runAsksJudgeModel(config)) assertBoundedJudge(config);
  for (const asked of askedToolModels(config, wanted))
    if (asked.kind === 'chat') assertIsBounded(config, asked);
    else assertPriced(config, asked);
  return { maxCostUsd, maxTokens };
}

/** Checks that a cap can be enforced for the judge's model. Throws `UserError`. */
export function assertBoundedJudge(config: Config): void {
  assertSections(config, ['judge.model']);
}

function assertRun(config: Config): void {
  const { max_cost_usd: maxCostUsd, max_tokens: maxTokens } = config.budget;
  if (maxCostUsd !== undefined) assertPrices(config);
  assertSections(config, ['dedup.trajectories.semantic.model']);
  if (maxCostUsd !== undefined || maxTokens !== undefined) assertBoundedAnswers(config);
  assertSections(config, ['probe.model']);
}

function assertPrices(config: Config): void {
  if (!asksEndpoint(config.teacher)) return;
  for (const member of memberConfigs(config))
    for (const role of roleSchema.options) assertPrice(roleModel(member, role));
}

function assertPrice({ place, model, endpoint }: SectionModel): void {
  if (endpoint.price !== undefined) return;
  throw new UserError(
    `budget.max_cost_usd: no price is known of ${model}, so its cost can't be kept below a cap; set ${place}.price (input_usd_per_million, output_usd_per_million), or cap tokens with --max-tokens`,
  );
}

function assertBoundedAnswers(config: Config): void {
  if (asksEndpoint(config.teacher)) for (const member of memberConfigs(config)) assertBoundedTeacher(member);
}

function assertBoundedTeacher(config: Config): void {
  const unbounded = roleSchema.options
    .map((role) => roleModel(config, role))
    .find(({ sampling }) => sampling.max_tokens === undefined);
  if (unbounded === undefined) return;
  throw new UserError(
    `budget: ${unbounded.place}.sampling.max_tokens is not set, so an answer could be of any length and a cap could be passed; set it, for instance to 4096`,
  );
}

function assertSections(config: Config, sections: readonly ModelSection[]): void {
  for (const section of sections) {
    const asked = sectionModel(config, section);
    if (!asked) continue;
    if (section.startsWith('dedup.')) assertPriced(config, asked);
    else assertIsBounded(config, asked);
  }
}

function assertPriced({ budget }: Config, asked: SectionModel): void {
  if (budget.max_cost_usd !== undefined) assertPrice(asked);
}

function assertIsBounded(config: Config, asked: SectionModel): void {
  const { max_cost_usd: maxCostUsd, max_tokens: maxTokens } = config.budget;
  const { place, sampling } = asked;
  assertPriced(config, asked);
  const isCapped = maxCostUsd !== undefined || maxTokens !== undefined;
  if (isCapped && sampling.max_tokens === undefined) {
    throw new UserError(
      `budget: ${place}.sampling.max_tokens is not set, so an answer could be of any length and a cap could be passed; set it, for instance to 1024`,
    );
  }
}
