import { afterEach, expect, test, vi } from 'vitest';
import { findGpus } from '../../cli/train/gpus.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { installPrograms } from './support/installPrograms.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A machine with four GPUs, of which the variable leaves some. */
function fourGpus(visible: string | undefined): void {
  const list = 'for n in 0 1 2 3; do echo "GPU $n: H100 (UUID: GPU-$n)"; done';
  const folder = installPrograms({ 'nvidia-smi': list });
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  vi.stubEnv('CUDA_VISIBLE_DEVICES', visible);
}

test.each([
  [undefined, 4],
  ['', 0],
  ['-1', 0],
  ['NoDevFiles', 0],
  ['2', 1],
  ['0,1', 2],
  [' 3 , 0 ', 2],
  ['GPU-0,GPU-1,GPU-2', 3],
  // As CUDA does: what follows a device that is not there is not seen.
  ['0,4,1', 1],
  ['0,-1,1', 1],
])('CUDA_VISIBLE_DEVICES=%s leaves %s of four GPUs', async (visible, count) => {
  fourGpus(visible);
  expect((await findGpus()).count).toBe(count);
});

test('no GPU where there is no nvidia-smi, whatever the variable says', async () => {
  vi.stubEnv('PATH', temporaryFolder());
  vi.stubEnv('CUDA_VISIBLE_DEVICES', '0');
  expect((await findGpus()).count).toBe(0);
});
