import { appendFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { refuseChangedData } from '../../training/resumeJob.ts';
import { datasetFolder } from './support/datasetFolder.ts';

test('a job goes on with the data that it was started with', async () => {
  await expect(refuseChangedData(datasetFolder())).resolves.toBeUndefined();
});

test('and with no other: edited rows, a new export, no dataset', async () => {
  const edited = datasetFolder();
  appendFileSync(edited.rows, 'x');
  await expect(refuseChangedData(edited)).rejects.toThrow(
    /rows\.parquet: its SHA-256 is .*start a new job with --job NAME/,
  );
  const exported = datasetFolder();
  appendFileSync(exported.manifest, '\n');
  await expect(refuseChangedData(exported)).rejects.toThrow('manifest.json: it was rewritten');
  const gone = datasetFolder();
  rmSync(gone.manifest);
  await expect(refuseChangedData(gone)).rejects.toThrow('manifest.json: it is not there');
});
