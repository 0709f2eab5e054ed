import { registerFormats } from '../output/dataset/formatTable.ts';
import { registerTrainers } from '../training/trainers/trainerTable.ts';
import { verifiersFormat } from './dataset/verifiersFormat.ts';
import { verlRlFormat } from './dataset/verlRlFormat.ts';
import { trlRlTrainer } from './trainers/trlRlTrainer.ts';
import { verlRlTrainer } from './trainers/verlRlTrainer.ts';

registerFormats({ verl_rl: verlRlFormat, verifiers: verifiersFormat });
registerTrainers({ 'verl-rl': verlRlTrainer, 'trl-rl': trlRlTrainer });
