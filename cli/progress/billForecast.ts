import type { Amount } from '../../calls/budget/spendingLog.ts';
import { intervalOf } from '../../operations/forecast/interval.ts';
import { type RolloutForecast, RolloutForecaster } from '../../operations/forecast/rolloutForecaster.ts';
import type { PendingRollouts } from '../../pipeline/run/stageWork.ts';

interface Progress {
  /** Null where it is not known. */
  readonly total: number | null;
  readonly done: number;
  /** Of `done`, those of this session. */
  readonly doneNow: number;
  /** What the run was billed by now, in earlier sessions too, and of it what this session's rollouts took. */
  readonly billed: Amount;
  readonly used: Amount;
}

/** Forecasts what a run will have been billed at the end of its rollout stage. */
export class BillForecast {
  readonly #before: Amount;
  /** Resolves to undefined where it is not known which rollouts are to come. */
  readonly #reading: Promise<RolloutForecaster | undefined>;
  #forecaster: RolloutForecaster | undefined;

  constructor(before: Amount, pending?: () => Promise<PendingRollouts>) {
    this.#before = before;
    // What can't be read stops the stage itself: here there is no forecast then.
    this.#reading = Promise.resolve(pending?.())
      .then((rollouts) => rollouts && new RolloutForecaster(rollouts))
      .catch(() => undefined);
  }

  /** Takes note of a rollout; resolves once it is in the forecast. */
  async ended(...rollout: Parameters<RolloutForecaster['end']>): Promise<void> {
    this.#forecaster = await this.#reading;
    this.#forecaster?.end(...rollout);
  }

  /** What others than rollouts take, as the judge, goes with the rollouts that have ended. Undefined while nothing can be told. */
  at({ total, done, doneNow, billed, used }: Progress): RolloutForecast | undefined {
    const forecast = this.#forecaster?.forecast;
    if (!forecast || total === null || doneNow === 0 || total === done) return undefined;
    const share = (total - done + doneNow) / doneNow;
    const whole = (of: keyof Amount) => {
      const beside = this.#before[of] + (billed[of] - this.#before[of] - used[of]) * share;
      return intervalOf((bound) => Math.max(billed[of], beside + forecast[of][bound]));
    };
    return { ...forecast, costUsd: whole('costUsd'), tokens: whole('tokens') };
  }
}
