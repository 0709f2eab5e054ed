import { UserError } from '../../base/userError.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { EndpointConfig, SamplingConfig } from '../../schemas/config/endpoint.ts';
import { mayAskJudgeModel } from '../../schemas/config/resolved/endpoints.ts';
import { memberConfigs } from '../../schemas/config/resolved/mixture.ts';
import { askedToolModels } from '../../schemas/config/resolved/toolModels.ts';
import { asksEndpoint } from '../../schemas/config/teacherBackends.ts';
import { MOST_CAPPED_PIXELS } from '../../schemas/shownImages.ts';
import { roleSchema } from '../../schemas/trace.ts';
import { embeddingPriceOf, judgePriceOf, knownPrice, modelOf, priceOf, probePriceOf } from './priceOf.ts';
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
  if (mayAskJudgeModel(config))
    assertIsBounded(config, { ...config.judge.model!, section: 'judge.model', price: judgePriceOf(config) });
  if (config.probe?.model !== undefined)
    assertIsBounded(config, {
      ...config.probe,
      model: config.probe.model,
      section: 'probe',
      price: probePriceOf(config),
    });
  assertToolModelsAreBounded(config, wanted);
  assertImagesAreBounded(config, wanted);
  return { maxCostUsd, maxTokens };
}

function assertPrices(config: Config): void {
  if (!asksEndpoint(config.teacher)) return;
  const asked = memberConfigs(config).flatMap((member) =>
    roleSchema.options.map((role) => ({ price: priceOf(member, role), model: modelOf(member, role) })),
  );
  const unpriced = asked.find(({ price }) => price === undefined);
  if (unpriced === undefined) return;
  throw new UserError(
    `budget.max_cost_usd: no price is known of ${unpriced.model}, so its cost can't be kept below a cap; set teacher.endpoint.price (input_usd_per_million, output_usd_per_million), or cap tokens with --max-tokens`,
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

function assertBoundedAnswers(config: Config): void {
  if (asksEndpoint(config.teacher)) for (const member of memberConfigs(config)) assertBoundedTeacher(member);
}

function assertBoundedTeacher({ teacher }: Config): void {
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

/** A model that a section of the configuration asks. */
interface AskedModel {
  /** Path of the section. */
  readonly section: string;
  readonly model: string;
  readonly price: EndpointConfig['price'];
  /** Absent for a model that gives no answers in tokens. */
  readonly sampling?: SamplingConfig | undefined;
}

function assertIsBounded({ budget }: Config, { section, model, price, sampling }: AskedModel): void {
  const { max_cost_usd: maxCostUsd, max_tokens: maxTokens } = budget;
  if (maxCostUsd !== undefined && price === undefined) {
    throw new UserError(
      `budget.max_cost_usd: no price is known of ${model}, so its cost can't be kept below a cap; set ${section}.endpoint.price (input_usd_per_million, output_usd_per_million), or cap tokens with --max-tokens`,
    );
  }
  const isCapped = maxCostUsd !== undefined || maxTokens !== undefined;
  if (isCapped && sampling && sampling.max_tokens === undefined) {
    throw new UserError(
      `budget: ${section}.sampling.max_tokens is not set, so an answer could be of any length and a cap could be passed; set it, for instance to 1024`,
    );
  }
}

function assertToolModelsAreBounded(config: Config, wanted: ReadonlySet<string>): void {
  for (const asked of askedToolModels(config, wanted))
    assertIsBounded(config, { ...asked, section: `tools.${asked.part}`, price: knownPrice(asked) });
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
