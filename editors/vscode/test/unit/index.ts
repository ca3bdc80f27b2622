import { colors } from './colors.test';
import { label } from './label.test';
import { manifest } from './manifest.test';
import { program } from './program.test';
import { restarts } from './restarts.test';
import { runs } from './runs.test';

export const suites = [colors, label, manifest, program, restarts, runs];
