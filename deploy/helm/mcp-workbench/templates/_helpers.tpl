{{- define "mcp-workbench.labels" -}}
app.kubernetes.io/name: mcp-workbench
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
