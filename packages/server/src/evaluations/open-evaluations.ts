import type { Feature, Services } from '../services.ts';
import type { EvaluationDependencies } from './evaluation-dependencies.ts';
import { evaluationRoutes } from './evaluations.routes.ts';
import { createEvaluationService } from './evaluations.service.ts';

export function openEvaluations(
  services: EvaluationDependencies & Pick<Services, 'versions'>,
): Feature<Pick<Services, 'evaluations'>> {
  const evaluations = createEvaluationService(services);
  return {
    services: { evaluations },
    routes: [evaluationRoutes],
    rounds: [{ name: 'evaluations', everyMilliseconds: 3_000, work: evaluations.sweep, takesOver: true }],
    stop: evaluations.release,
  };
}
