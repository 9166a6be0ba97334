/** How the command of the service is typed on its server. The service writes it into the page. */
export const svcCommand = document.documentElement.dataset['command'] ?? 'svc';
