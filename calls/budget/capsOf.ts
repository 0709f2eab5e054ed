import { UserError } from '../../base/userError.ts';
import type { Config } from '../../schemas/config/config.ts';
import { asksJudgeModel } from '../../schemas/config/resolved/endpoints.ts';
import { askedToolModels } from '../../schemas/config/resolved/toolModels.ts';
import { asksEndpoint } from '../../schemas/config/teacherBackends.ts';
import { MOST_CAPPED_PIXELS } from '../../schemas/shownImages.ts';
import { roleSchema } from '../../schemas/trace.ts';
import { embeddingPriceOf, judgePriceOf, knownPrice, modelOf, priceOf } from './priceOf.ts';
import type { Caps } from './spendingMeter.ts';

/**
 * The caps of a configuration.
 *
 * @param wanted - Tools that the run's profiles call: the models of others are not asked
 * @throws UserError when a cap could not be kept: the worst case of a call needs a price and a bound of its answer
 */
export function capsOf(config: Config, wanted: ReadonlySet<string>): Caps {
  const { max_cost_usd: maxCostUsd, max_tokens: maxTokens } = config.budget;
  if (maxCostUsd !== undefined) assertPrices(config);
  if (maxCostUsd !== undefined) assertEmbeddingPrices(config);
  if (maxCostUsd !== undefined || maxTokens !== undefined) assertBoundedAnswers(config);
  if (asksJudgeModel(config)) assertJudgeIsBounded(config);
  assertToolModelsAreBounded(config, wanted);
  assertImagesAreBounded(config, wanted);
  return { maxCostUsd, maxTokens };
}

function assertPrices(config: Config): void {
  if (!asksEndpoint(config.teacher)) return;
  const unpriced = roleSchema.options.find((role) => priceOf(config, role) === undefined);
  if (unpriced === undefined) return;
  throw new UserError(
    `budget.max_cost_usd: no price is known of ${modelOf(config, unpriced)}, so its cost can't be kept below a cap; set teacher.endpoint.price (input_usd_per_million, output_usd_per_million), or cap tokens with --max-tokens`,
  );
}

function assertEmbeddingPrices(config: Config): void {
  for (const section of ['questions', 'trajectories'] as const) {
    const semantic = config.dedup?.[section]?.semantic;
    if (!semantic || embeddingPriceOf(config, section) !== undefined) continue;
    throw new UserError(
      `budget.max_cost_usd: no price is known of ${semantic.model}, so its cost can't be kept below a cap; set dedup.${section}.semantic.endpoint.price (input_usd_per_million, output_usd_per_million), or cap tokens with --max-tokens`,
    );
  }
}

function assertBoundedAnswers({ teacher }: Config): void {
  if (!asksEndpoint(teacher)) return;
  const unbounded = roleSchema.options.find(
    (role) => (teacher.roles[role]?.sampling ?? teacher.sampling).max_tokens === undefined,
  );
  if (unbounded === undefined) return;
  const where = teacher.roles[unbounded]?.sampling
    ? `teacher.roles.${unbounded}.sampling`
    : 'teacher.sampling';
  throw new UserError(
    `budget: ${where}.max_tokens is not set, so an answer could be of any length and a cap could be passed; set it, for instance to 4096`,
  );
}

function assertJudgeIsBounded(config: Config): void {
  const { max_cost_usd: maxCostUsd, max_tokens: maxTokens } = config.budget;
  const { model, sampling } = config.judge.model!;
  if (maxCostUsd !== undefined && judgePriceOf(config) === undefined) {
    throw new UserError(
      `budget.max_cost_usd: no price is known of ${model}, so its cost can't be kept below a cap; set judge.model.endpoint.price (input_usd_per_million, output_usd_per_million), or cap tokens with --max-tokens`,
    );
  }
  if ((maxCostUsd !== undefined || maxTokens !== undefined) && sampling.max_tokens === undefined) {
    throw new UserError(
      'budget: judge.model.sampling.max_tokens is not set, so an answer could be of any length and a cap could be passed; set it, for instance to 1024',
    );
  }
}

function assertToolModelsAreBounded(config: Config, wanted: ReadonlySet<string>): void {
  const { max_cost_usd: maxCostUsd, max_tokens: maxTokens } = config.budget;
  for (const asked of askedToolModels(config, wanted)) {
    const { part, model, sampling } = asked;
    if (maxCostUsd !== undefined && knownPrice(asked) === undefined) {
      throw new UserError(
        `budget.max_cost_usd: no price is known of ${model}, so its cost can't be kept below a cap; set tools.${part}.endpoint.price (input_usd_per_million, output_usd_per_million), or cap tokens with --max-tokens`,
      );
    }
    const isCapped = maxCostUsd !== undefined || maxTokens !== undefined;
    if (isCapped && sampling && sampling.max_tokens === undefined) {
      throw new UserError(
        `budget: tools.${part}.sampling.max_tokens is not set, so an answer could be of any length and a cap could be passed; set it, for instance to 1024`,
      );
    }
  }
}

function assertImagesAreBounded({ budget, tools }: Config, wanted: ReadonlySet<string>): void {
  const isCapped = budget.max_cost_usd !== undefined || budget.max_tokens !== undefined;
  if (!isCapped || !tools.visual_inspector || !wanted.has('visual_inspector')) return;
  const { max_megapixels } = tools.visual_inspector;
  if (max_megapixels * 1e6 <= MOST_CAPPED_PIXELS) return;
  const most = Math.floor(MOST_CAPPED_PIXELS / 1e5) / 10;
  throw new UserError(
    `budget: tools.visual_inspector.max_megapixels is ${max_megapixels}, and an image of so many pixels could count more tokens than are put aside for one, so a cap could be passed; set it to at most ${most}`,
  );
}
