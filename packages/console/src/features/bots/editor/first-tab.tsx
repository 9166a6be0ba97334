import { Navigate } from '@tanstack/react-router';
import { useHref, useParam, useSearchState } from '../../../app/page-links.tsx';

/** `/bots/{id}` leads to the prompt. */
export function FirstTab() {
  const href = useHref();
  const botId = useParam('bot');
  const [search] = useSearchState();
  return <Navigate to={href(`/bots/${botId}/prompt`, search)} replace />;
}
