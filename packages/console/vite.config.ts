import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Replaced in every response by a value that is used once. */
export const noncePlaceholder = 'svc-nonce-placeholder';

/** What several pages share. Each small module would be a file of its own, and the first page would wait for forty of them. */
const shared = { minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 3 * 1024 };

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  html: { cspNonce: noncePlaceholder },
  build: {
    outDir: join(import.meta.dirname, 'dist'),
    assetsDir: 'console',
    // A data: URL would need an exception in the content security policy.
    assetsInlineLimit: 0,
    target: ['chrome123', 'firefox128', 'safari17.5'],
    // Leaves light-dark() as it is.
    cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { ...shared, name: 'parts', test: /[\\/]console[\\/]src[\\/](kit|format|api|app)[\\/]/ },
            { ...shared, name: 'libs', test: /[\\/]node_modules[\\/]/ },
          ],
        },
      },
    },
  },
});
