// Finds the server's program.

import * as path from 'node:path';

export interface Surroundings {
  /** The setting toolpath.server.path. */
  setting: string;
  /** The folder of the extension. */
  extension: string;
  /** Whether the extension runs from a checkout of toolpath-ls. */
  development: boolean;
  /** The environment variable PATH. */
  searchPath: string;
  home: string;
  windows: boolean;
  isProgram(file: string): boolean;
}

/** The program, or the message that says why there is none. */
export type Found = { program: string } | { problem: string };

/**
 * Looks for toolpath-ls: the setting alone if there is one, else what comes with the extension, PATH, and in a
 * checkout the program that `make build` leaves there.
 */
export function findProgram(around: Surroundings): Found {
  if (around.setting !== '') {
    return fromSetting(around);
  }
  const name = around.windows ? 'toolpath-ls.exe' : 'toolpath-ls';
  const candidates = [path.join(around.extension, 'server', name), ...onPath(around, name)];
  if (around.development) {
    candidates.push(path.join(around.extension, '..', '..', 'bin', name));
  }
  const program = candidates.find((file) => around.isProgram(file));
  if (program !== undefined) {
    return { program };
  }
  const build = around.development ? 'Run make build in the checkout, put' : 'Put';
  return {
    problem: `Toolpath: there is no server. ${build} toolpath-ls on your PATH, or name it in the setting toolpath.server.path.`,
  };
}

function fromSetting(around: Surroundings): Found {
  const program = around.setting.replace(/^~(?=[/\\])/, around.home);
  if (!path.isAbsolute(program)) {
    return { problem: `Toolpath: the setting toolpath.server.path needs an absolute path, not "${around.setting}".` };
  }
  if (!around.isProgram(program)) {
    return { problem: `Toolpath: the setting toolpath.server.path names ${program}, which is not a program that can be run.` };
  }
  return { program };
}

// Entries that are relative are left out: they would name files of whatever folder is the current one.
function onPath(around: Surroundings, name: string): string[] {
  const folders = around.searchPath.split(around.windows ? ';' : ':');
  return folders.filter((folder) => path.isAbsolute(folder)).map((folder) => path.join(folder, name));
}
