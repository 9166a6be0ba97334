import type { ApprovalContext, CallDescription } from '../../tool-type.ts';
import { fixParameter } from './coding-parameters.ts';
import { grantableChange, grantableCommand } from './grantable.ts';
import { machineValues } from './machine-values.ts';
import type { CodingOperation } from './operations.ts';

const maxBytes = 256 * 1024;
const maxNamedFiles = 5;

/** How a call reads to the person who decides about it: what the machine says that it would do. */
export function describePreview(
  { name, kind, parameters }: CodingOperation,
  given: Record<string, unknown>,
  value: unknown,
  machine: { id: string; name: string },
): CallDescription {
  if (kind === 'command') {
    const { cwd, basis } = machineValues.previewedCommand(value);
    const command = String(given['command']);
    const network = given['network'] === true;
    const shown = { command, cwd, machine: machine.name, ...(network && { network }) };
    const context: ApprovalContext = { kind: 'command', ...shown };
    const inPlace = fixParameter(parameters, 'path', given['path']);
    // The network is asked about each time.
    const grantable =
      name === 'run_command' && !network ? grantableCommand(machine.id, cwd, command) : undefined;
    return {
      context,
      basis,
      argumentsSchema: fixParameter(inPlace, 'network', given['network']),
      ...(grantable && { grantable }),
    };
  }
  const { files, basis, workdir } = machineValues.previewedChange(value);
  const diff = files.map((file) => file.diff.replace(/[^\n]$/, '$&\n')).join('');
  if (Buffer.byteLength(diff) > maxBytes || Buffer.byteLength(JSON.stringify(basis)) > maxBytes)
    return {
      fault:
        'This change is too large to be shown for approval (over 256 KB). Split it into smaller changes.',
    };
  const creates = (basis.files ?? []).some(({ hash }) => hash === null);
  if (diff.trim() === '' && !creates)
    return { fault: 'This would change nothing: the content is already like that.' };
  const changes = (basis.files ?? []).map((file) => file.path);
  const grantable = grantableChange(machine.id, workdir, changes);
  return {
    context: { kind: 'diff', path: namesOf(files.map(({ path }) => path)), diff },
    basis,
    changes,
    ...(grantable && { grantable }),
    // A person may edit what is written, but not where: they saw the diff of these files.
    ...(name !== 'apply_patch' && { argumentsSchema: fixParameter(parameters, 'path', given['path']) }),
  };
}

function namesOf(paths: readonly string[]): string {
  if (paths.length <= 1) return paths[0] ?? '';
  const named = paths.slice(0, maxNamedFiles).join(', ');
  return `${paths.length} files: ${named}${paths.length > maxNamedFiles ? ', …' : ''}`;
}
