{{/* The documents of a file of deploy/k8s, to which manifests/ links, as a YAML list. Arguments: root, file. */}}
{{- define "tarsy.documents" -}}
{{- range splitList "\n---\n" ((index . 0).Files.Get (printf "manifests/%s" (index . 1))) }}
- {{ fromYaml . | toJson }}
{{- end }}
{{- end }}

{{/* Prints a resource with the label that all have. */}}
{{- define "tarsy.print" }}
{{- $_ := set .metadata "labels" (merge (dict "app.kubernetes.io/part-of" "tarsy") (.metadata.labels | default dict)) }}
---
{{ toYaml . }}
{{ end }}

{{/* The resources of a file of deploy/k8s, its workload with the values. Arguments: root, file. */}}
{{- define "tarsy.service" }}
{{- $root := index . 0 }}
{{- range include "tarsy.documents" . | fromYamlArray }}
{{- if hasKey .spec "template" }}{{ include "tarsy.workload" (list $root .) }}{{ end }}
{{- include "tarsy.print" . }}
{{- end }}
{{- end }}

{{/* Changes a Deployment, StatefulSet or Job of deploy/k8s by the values, in place; prints nothing. Arguments: root, workload. */}}
{{- define "tarsy.workload" }}
{{- $root := index . 0 }}
{{- $workload := index . 1 }}
{{- $values := $root.Values }}
{{- $settings := index $values.services $workload.metadata.name }}
{{- $pod := $workload.spec.template.spec }}
{{- $container := first $pod.containers }}
{{- with $settings.replicas }}{{ $_ := set $workload.spec "replicas" . }}{{ end }}
{{- with $settings.resources }}{{ $_ := set $container "resources" . }}{{ end }}
{{- $_ := mergeOverwrite $pod (pick $settings "nodeSelector" "tolerations" "affinity" "priorityClassName") }}
{{- with $values.fixedUser }}
{{- $_ := mergeOverwrite $pod.securityContext (dict "runAsUser" . "runAsGroup" . "fsGroup" .) }}
{{- end }}
{{- if $values.spreadOverZones }}
{{- range $pod.topologySpreadConstraints }}
{{- $_ := set $pod "topologySpreadConstraints" (list . (merge (dict "topologyKey" "topology.kubernetes.io/zone") .)) }}
{{- end }}
{{- end }}
{{- $image := ternary $values.images.nats $values.images.tarsy (hasPrefix "localhost/tarsy-nats:" $container.image) }}
{{- if not (contains "@" $image) }}
{{- $image = printf "%s:%s" $image ($values.images.tag | default $root.Chart.AppVersion) }}
{{- end }}
{{- $_ := set $container "image" ($settings.image | default $image) }}
{{- with $values.images.pullPolicy }}{{ $_ := set $container "imagePullPolicy" . }}{{ end }}
{{- with $values.images.pullSecrets }}{{ $_ := set $pod "imagePullSecrets" . }}{{ end }}
{{- range $container.env }}
{{- if .value }}{{ $_ := set . "value" (include "tarsy.reachable" (list $root .value)) }}{{ end }}
{{- with (.valueFrom).secretKeyRef }}{{ $_ := set . "name" $values.existingSecret }}{{ end }}
{{- if and (eq .name "DATABASE_URL") (eq $values.postgres.type "cnpg") }}
{{- $_ := set . "valueFrom" (dict "secretKeyRef" (dict "name" (printf "%s-app" $values.postgres.cnpg.name) "key" "uri")) }}
{{- end }}
{{- end }}
{{- if and $values.identityProxy.enabled (has $workload.metadata.name (list "api" "notifier")) }}
{{- $secret := dict "name" $values.identityProxy.existingSecret "key" "proxy-secret" }}
{{- $_ := set $container "env" (append $container.env (dict "name" "AUTH_PROXY_SECRET" "valueFrom" (dict "secretKeyRef" $secret))) }}
{{- end }}
{{- range $name, $value := $settings.env }}
{{- $others := list }}
{{- range $container.env }}{{ if ne .name $name }}{{ $others = append $others . }}{{ end }}{{ end }}
{{- $_ := set $container "env" (append $others (dict "name" $name "value" $value)) }}
{{- end }}
{{- if $container.envFrom }}{{ include "tarsy.configured" (list $root $workload) }}{{ end }}
{{- end }}

{{/* Addresses of NATS without the servers that do not exist. Arguments: root, addresses. */}}
{{- define "tarsy.reachable" -}}
{{- if eq (int (index . 0).Values.nats.replicas) 1 }}{{ regexReplaceAll ",nats://nats-[12]\\.nats:4222" (index . 1) "" }}
{{- else }}{{ index . 1 }}{{ end }}
{{- end }}

{{/* Mounts the configuration directory, and restarts the pods when it or the environment changes. Arguments: root, workload. */}}
{{- define "tarsy.configured" }}
{{- $config := (index . 0).Values.config }}
{{- $template := (index . 1).spec.template }}
{{- $pod := $template.spec }}
{{- $container := first $pod.containers }}
{{- $sum := printf "%s%s" (toJson $config) (include "tarsy.environment" (index . 0)) | sha256sum | trunc 16 }}
{{- $_ := set $template.metadata "annotations" (merge (dict "checksum/configuration" $sum) ($template.metadata.annotations | default dict)) }}
{{- with include "tarsy.configMap" (index . 0) }}
{{- $_ := set $pod "volumes" (append $pod.volumes (dict "name" "configuration" "configMap" (dict "name" .))) }}
{{- $mount := dict "name" "configuration" "mountPath" "/etc/tarsy" "readOnly" true }}
{{- $_ := set $container "volumeMounts" (append $container.volumeMounts $mount) }}
{{- end }}
{{- end }}

{{/* The name of the ConfigMap with the configuration directory; empty if there is none. */}}
{{- define "tarsy.configMap" -}}
{{- with .Values.config }}{{ .existingConfigMap | default (ternary "tarsy-configuration" "" (gt (len .files) 0)) }}{{ end }}
{{- end }}

{{/* The environment of all services, as JSON. */}}
{{- define "tarsy.environment" -}}
{{- $data := (include "tarsy.documents" (list . "environment.yaml") | fromYamlArray | first).data }}
{{- $_ := set $data "ALLOWED_HOSTS" (printf "%s,api" .Values.host) }}
{{- $_ := set $data "NATS_REPLICAS" (toString .Values.nats.replicas) }}
{{- if include "tarsy.configMap" . }}{{ $_ := set $data "CONFIG_DIR" "/etc/tarsy" }}{{ end }}
{{- if .Values.identityProxy.enabled }}{{ $_ := set $data "AUTH_MODE" "proxy" }}{{ end }}
{{- mergeOverwrite $data .Values.environment | toJson }}
{{- end }}
