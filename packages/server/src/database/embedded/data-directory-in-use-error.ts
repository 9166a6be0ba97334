/** Another service holds the data directory. */
export class DataDirectoryInUseError extends Error {
  readonly directory: string;
  readonly processId: number | undefined;

  constructor(directory: string, processId: number | undefined) {
    const holder = processId === undefined ? 'another service' : `another service (process ${processId})`;
    super(
      `The data directory ${directory} is in use by ${holder}. Stop it first, or give this one its own SVC_DATA_DIR.`,
    );
    this.name = 'DataDirectoryInUseError';
    this.directory = directory;
    this.processId = processId;
  }
}
