{{- define "headwater.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "headwater.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "headwater.labels" -}}
{{ include "headwater.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "headwater.require-auth" -}}
{{- $auth := .Values.auth -}}
{{- if not (or $auth.keys.secret $auth.oidc.issuer $auth.allowUnauthenticated) -}}
{{- fail "say who may come in: auth.keys.secret, auth.oidc.issuer, or auth.allowUnauthenticated=true" -}}
{{- end -}}
{{- if and $auth.oidc.issuer (not $auth.oidc.audience) -}}
{{- fail "auth.oidc.issuer needs auth.oidc.audience: else every token of that provider would open this server" -}}
{{- end -}}
{{- if and (or $auth.oidc.clientId $auth.oidc.scopes) (not $auth.oidc.issuer) -}}
{{- fail "auth.oidc.clientId and auth.oidc.scopes need auth.oidc.issuer, the provider that people sign in at" -}}
{{- end -}}
{{- end -}}

{{- define "headwater.hosts" -}}
{{- $name := include "headwater.name" . -}}
{{- $service := printf "%s.%s.svc" $name .Release.Namespace -}}
{{- $hosts := list $name (printf "%s.%s" $name .Release.Namespace) $service (printf "%s.cluster.local" $service) -}}
{{- if .Values.ingress.host -}}
{{- $hosts = append $hosts .Values.ingress.host -}}
{{- end -}}
{{- concat $hosts .Values.allowedHosts | toJson -}}
{{- end -}}
