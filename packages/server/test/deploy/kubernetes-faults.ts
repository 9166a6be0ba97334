import { validate as deployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as autoscaler } from 'kubernetes-models/_schemas/IoK8sApiAutoscalingV2HorizontalPodAutoscaler';
import { validate as job } from 'kubernetes-models/_schemas/IoK8sApiBatchV1Job';
import { validate as service } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { validate as serviceAccount } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ServiceAccount';
import { validate as ingress } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1Ingress';
import { validate as disruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}

/** Compiled from the JSON schemas that Kubernetes publishes. */
const validators: Record<string, (data: unknown) => boolean> = {
  'apps/v1 Deployment': deployment,
  'autoscaling/v2 HorizontalPodAutoscaler': autoscaler,
  'batch/v1 Job': job,
  'v1 Service': service,
  'v1 ServiceAccount': serviceAccount,
  'networking.k8s.io/v1 Ingress': ingress,
  'policy/v1 PodDisruptionBudget': disruptionBudget,
};

/** What Kubernetes would refuse in a manifest, unknown fields included. */
export function kubernetesFaults(manifest: Manifest): string[] {
  const kind = `${manifest.apiVersion} ${manifest.kind}`;
  const validate = validators[kind];
  if (!validate) return [`${kind} has no schema here`];
  const read = new Set<string>();
  validate(recordReads(manifest, '', read));
  const { errors } = validate as { errors?: { instancePath: string; keyword: string; params: object }[] };
  const invalid = (errors ?? []).map(
    ({ instancePath, keyword, params }) => `${kind}: ${instancePath} ${keyword} ${JSON.stringify(params)}`,
  );
  const unknown = unreadFields(manifest, '', read).map((path) => `${kind}: ${path} is unknown`);
  return [...invalid, ...unknown];
}

/** The schemas allow unknown fields. But the validators look at every field that they know. */
function recordReads(value: unknown, path: string, read: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, name) {
      const own = `${path}/${String(name)}`;
      read.add(own);
      return recordReads(Reflect.get(target, name), own, read);
    },
  });
}

function unreadFields(value: unknown, path: string, read: Set<string>): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const own = `${path}/${name}`;
    return read.has(own) ? unreadFields(inner, own, read) : [own];
  });
}
