import './styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import { sessionQuery } from './api/session.ts';
import { router } from './router.tsx';

const container = document.getElementById('root');
if (!container) throw new Error('The page has no element #root.');

const queries = createQueryClient();
// Every page needs it, and would otherwise ask when its own file has been loaded.
void queries.prefetchQuery(sessionQuery);

createRoot(container).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
