import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** nvidia-smi takes seconds if the GPUs sleep. */
const TIMEOUT_MS = 20_000;

interface Gpus {
  /** Number allowed by `CUDA_VISIBLE_DEVICES`; 0 without `nvidia-smi` or GPUs. */
  readonly count: number;
  readonly names: readonly string[];
}

export async function findGpus(): Promise<Gpus> {
  try {
    const { stdout } = await promisify(execFile)('nvidia-smi', ['--list-gpus'], { timeout: TIMEOUT_MS });
    const listed = stdout.split('\n').filter((line) => line.startsWith('GPU '));
    const names = listed.map((line) => line.replace(/^GPU \d+: | \(UUID: .*$/g, ''));
    return {
      count: visibleGpus(listed.length, process.env.CUDA_VISIBLE_DEVICES),
      names: [...new Set(names)],
    };
  } catch {
    return { count: 0, names: [] };
  }
}

/**
 * Parses the variable as CUDA does: indices, or UUIDs of GPUs and their parts; the first invalid entry ends the list.
 */
function visibleGpus(listed: number, visible: string | undefined): number {
  if (listed === 0 || visible === undefined) return listed;
  const devices = visible.split(',').map((device) => device.trim());
  const isDevice = (device: string): boolean =>
    /^\d+$/.test(device) ? Number(device) < listed : /^(GPU|MIG)-/.test(device);
  const end = devices.findIndex((device) => !isDevice(device));
  return end === -1 ? devices.length : end;
}
