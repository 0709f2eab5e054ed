import { type Attack, type AttackRun, python } from './attack.ts';

const givesBack =
  (text: string) =>
  ({ files }: AttackRun) =>
    files.some((file) => file?.includes(text));

/** Programs that let us fetch what they could not read, by a link in place of the file that they are to give back. */
export const givenFiles: readonly Attack[] = [
  {
    name: 'gives back a link to a file of ours',
    outputs: ['given'],
    program: python`os.symlink(SECRET_FILE, 'given')`,
    succeeded: givesBack('a secret of the host'),
  },
  {
    name: 'gives back a file in a link to a folder of ours',
    outputs: ['given-folder/secret'],
    program: python`os.symlink(FOLDER, 'given-folder')`,
    succeeded: givesBack('a secret of the host'),
  },
  {
    name: 'gives back the environment of who reads it',
    outputs: ['given-environment'],
    program: python`os.symlink('/proc/self/environ', 'given-environment')`,
    succeeded: givesBack('variable-of-'),
  },
  {
    name: 'gives back a descriptor of who reads it',
    outputs: ['given-descriptor'],
    program: python`os.symlink('/proc/self/fd/40', 'given-descriptor')`,
    succeeded: givesBack('a secret of the host'),
  },
];
