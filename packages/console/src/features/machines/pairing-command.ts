/** What a person types on the machine. */
export function pairingCommand(serviceUrl: string, token: string): string {
  return [`export SVC_MACHINE_KEY=${token}`, `svc-machine connect --url ${serviceUrl} --root ~/project`].join(
    '\n',
  );
}
