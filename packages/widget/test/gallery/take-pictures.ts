// npm run gallery -w @svc/widget: a picture of every scene, in both themes, on a desktop and on a phone.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGallery, sizes } from './open-gallery.ts';

const folder = await mkdtemp(join(tmpdir(), 'svc-gallery-'));
const gallery = await openGallery();
for (const [device, size] of Object.entries(sizes)) {
  await gallery.page.setViewportSize(size);
  for (const theme of ['light', 'dark'] as const) {
    for (const name of gallery.names) {
      await gallery.show(name, theme);
      await gallery.page.screenshot({ path: join(folder, `${name}-${device}-${theme}.png`) });
    }
  }
}
await gallery.close();
process.stdout.write(`${folder}\n`);
// Otherwise the browser would be kept for the next user.
process.exit();
