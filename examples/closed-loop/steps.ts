import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { folder } from './programs.ts';

/** A part of a loop that is done once; the same command resumes at the one that was cut off. */
export interface Step {
  readonly name: string;
  /** Seconds on one of two quiet cores, for the time that is left. */
  readonly seconds: number;
  run(): Promise<void>;
}

const doneFile = ({ name }: Step) => path.join(folder, 'done', `${name.replaceAll(' ', '-')}.json`);

/** Does a step that is not done yet; `left` are the seconds of it and of what comes after. */
export async function doStep(step: Step, left: number): Promise<void> {
  const done = doneFile(step);
  if (existsSync(done)) return;
  console.log(`== ${step.name} · about ${Math.round(left / 60)} min left on two quiet cores`);
  const began = Date.now();
  await step.run();
  mkdirSync(path.dirname(done), { recursive: true });
  writeFileSync(done, `${JSON.stringify({ seconds: Math.round((Date.now() - began) / 1000) })}\n`);
}

/** Seconds of the steps that are not done. */
export const secondsOf = (steps: readonly Step[]) =>
  steps.filter((step) => !existsSync(doneFile(step))).reduce((sum, { seconds }) => sum + seconds, 0);
