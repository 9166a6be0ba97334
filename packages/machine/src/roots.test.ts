import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { resolveRoots } from './roots.ts';
import { openStateFolder } from './state/state-folder.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-roots-')));
const shop = join(folder, 'shop');
mkdirSync(join(shop, 'deep'), { recursive: true });
mkdirSync(join(folder, 'shop-2'));
symlinkSync(shop, join(folder, 'link'));
writeFileSync(join(folder, 'file'), '');
afterAll(() => rmSync(folder, { recursive: true }));

describe('roots', () => {
  it('are real paths', () => expect(resolveRoots([join(folder, 'link')]).paths).toEqual([shop]));
  it('are merged where one contains another', () => {
    const { paths, warnings } = resolveRoots([
      join(shop, 'deep'),
      shop,
      join(folder, 'link'),
      `${folder}/shop-2`,
    ]);
    expect(paths).toEqual([shop, join(folder, 'shop-2')]);
    expect(warnings).toEqual([`the root ${join(shop, 'deep')} is inside another root and adds nothing.`]);
  });
  it('must exist', () => expect(() => resolveRoots([join(folder, 'absent')])).toThrow('does not exist'));
  it('must be folders', () => expect(() => resolveRoots([join(folder, 'file')])).toThrow('not a folder'));
  it.skipIf(process.getuid?.() === 0)('must be readable', () => {
    const closed = join(folder, 'closed');
    mkdirSync(closed);
    chmodSync(closed, 0);
    expect(() => resolveRoots([closed])).toThrow('cannot be used (EACCES');
  });
  it('must be named', () => expect(() => resolveRoots([])).toThrow('--root'));
  it('are warned of if they are wide', () => {
    expect(resolveRoots(['/']).warnings[0]).toContain('whole disk');
    expect(resolveRoots([homedir()]).warnings[0]).toContain('home folder');
  });
});

describe('the state folder', () => {
  it('is not inside a root, nor around it', async () => {
    await expect(openStateFolder(join(folder, 'link', 'state'), [shop])).rejects.toThrow(
      'contain each other',
    );
    const above = join(folder, 'above');
    await (await openStateFolder(above, [])).close();
    await expect(openStateFolder(above, [join(above, 'root')])).rejects.toThrow('contain each other');
  });
  it('is not a folder of someone else', async () =>
    expect(openStateFolder(folder, [])).rejects.toThrow('has other files'));
  it('keeps its instance and is used by one daemon', async () => {
    const path = join(folder, 'state');
    const first = await openStateFolder(path, [shop]);
    await expect(openStateFolder(path, [shop])).rejects.toThrow(`process ${process.pid}`);
    await first.close();
    const second = await openStateFolder(path, [shop]);
    expect(second.instanceId).toBe(first.instanceId);
    await second.close();
  });
  it.each([
    ['a process that ended', JSON.stringify({ pid: 2 ** 22 - 1, start: 'x' })],
    ['another process with the same number', JSON.stringify({ pid: process.pid, start: 'before' })],
    ['a power cut', ''],
  ])('is free after %s', async (_, lock) => {
    const path = join(folder, 'left');
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'lock'), lock);
    await (await openStateFolder(path, [shop])).close();
  });
});
