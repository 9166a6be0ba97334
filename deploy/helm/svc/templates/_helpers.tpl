{{- define "svc.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "svc.selector" -}}
app.kubernetes.io/name: svc
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "svc.labels" -}}
{{ include "svc.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "svc.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "svc.publicUrl" -}}
{{- if .Values.publicUrl -}}
{{ .Values.publicUrl }}
{{- else if .Values.ingress.enabled -}}
https://{{ .Values.ingress.host }}
{{- else -}}
{{ fail "Set publicUrl, or enable the ingress: links in mails and webhooks need the address that people open." }}
{{- end -}}
{{- end }}

{{- /* What the pods and the migration have in common. */ -}}
{{- define "svc.variables" -}}
env:
  - { name: HOST, value: 0.0.0.0 }
  - { name: PORT, value: "3000" }
  - { name: SVC_DATA_DIR, value: /data }
  - { name: SVC_PUBLIC_URL, value: {{ include "svc.publicUrl" . | quote }} }
  {{- with .Values.trustedProxies }}
  - { name: SVC_TRUSTED_PROXIES, value: {{ . | quote }} }
  {{- end }}
  {{- with .Values.metrics.port }}
  - { name: SVC_METRICS_PORT, value: {{ . | quote }} }
  {{- end }}
  {{- range $name, $value := .Values.env }}
  {{- /* As text, a number from a million on would be 1e+06. */}}
  - { name: {{ $name }}, value: {{ kindIs "string" $value | ternary $value (toJson $value) | quote }} }
  {{- end }}
envFrom:
  {{- range .Values.secrets }}
  - secretRef: { name: {{ . }} }
  {{- end }}
{{- end }}

{{- define "svc.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "svc.pod" -}}
automountServiceAccountToken: false
# A Service named svc would otherwise give every pod variables such as SVC_PORT.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
# Nothing in them must be kept: everything durable is in PostgreSQL.
volumes:
  - { name: data, emptyDir: {} }
  - { name: tmp, emptyDir: {} }
{{- end }}
