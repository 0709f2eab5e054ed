import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take a minute and more, with all their cases. Vitest begins with large files where it has no times of an
 * earlier run, as in a new clone: a small one that takes minutes came last, and ran alone.
 */
export const slow = [
  'base/schedules/openPromises.long',
  'tools/sandbox/attacks',
  'training/jobLife.long',
  'viewer/browser.long',
  'docs/commands.long',
  'endToEnd/kills.long',
  'endToEnd/workers.long',
  'endToEnd/workersRate.long',
  'stages/hostileJudging',
  'endToEnd/offlineExamples.long',
  'trainers/verl',
  'trainers/jobsByHand',
  'trainers/rlTrlJob',
  'trainers/jobsCrash',
  'trainers/llamaFactory',
  'trainers/preference',
  'trainers/preprocessing',
];

/** Begins with slow files, so that none of them is left at the end. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    const place = ({ moduleId }: TestSpecification) => {
      const at = slow.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return at < 0 ? slow.length : at;
    };
    return (await super.sort(files)).toSorted(
      (one, other) => group(one) - group(other) || place(one) - place(other),
    );
  }
}
