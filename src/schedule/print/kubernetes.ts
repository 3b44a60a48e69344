/** A CronJob of the image that the repository's Dockerfile makes. */
import { NIGHTLY } from '../../../jobs/nightly.js';
import { EXIT } from '../../errors.js';
import type { TimeOfDay } from '../time-of-day.js';
import type { Installation } from './installation.js';

export function kubernetes(at: TimeOfDay, { version }: Installation): string {
  return `# The image: docker build -t your-registry/dawnload:${version} . && docker push your-registry/dawnload:${version}
# What it reads:
#   kubectl create configmap dawnload --from-file=dawnload.yaml
#   kubectl create secret generic dawnload --from-literal=DAWNLOAD_ACCESS_KEY=… --from-literal=DAWNLOAD_SECRET_KEY=…
#   a PersistentVolumeClaim dawnload, ReadWriteOnce: one run, one writer
# then: dawnload schedule print k8s | kubectl apply -f -
apiVersion: batch/v1
kind: CronJob
metadata:
  name: dawnload
spec:
  schedule: "${at.minute} ${at.hour} * * *"
  timeZone: ${NIGHTLY.zone}
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 3600
  jobTemplate:
    spec:
      backoffLimit: ${NIGHTLY.retryPausesMinutes.length}
      # ${EXIT.usage} and ${EXIT.refused} need a person: no further attempt helps.
      podFailurePolicy:
        rules:
          - action: FailJob
            onExitCodes:
              containerName: dawnload
              operator: In
              values: [${EXIT.usage}, ${EXIT.refused}]
      template:
        spec:
          restartPolicy: Never
          # A paid request that is under way may take its full timeout.
          terminationGracePeriodSeconds: 120
          automountServiceAccountToken: false
          securityContext:
            runAsNonRoot: true
            runAsUser: 1000
            runAsGroup: 1000
            fsGroup: 1000
            seccompProfile:
              type: RuntimeDefault
          containers:
            - name: dawnload
              image: your-registry/dawnload:${version}
              args: ["run", "--config", "/etc/dawnload/dawnload.yaml", "--data-dir", "/data"]
              envFrom:
                - secretRef:
                    name: dawnload
              securityContext:
                allowPrivilegeEscalation: false
                readOnlyRootFilesystem: true
                capabilities:
                  drop: ["ALL"]
              resources:
                requests:
                  cpu: "1"
                  memory: 1Gi
                limits:
                  memory: 2Gi
              volumeMounts:
                - name: config
                  mountPath: /etc/dawnload
                  readOnly: true
                - name: data
                  mountPath: /data
          volumes:
            - name: config
              configMap:
                name: dawnload
            - name: data
              persistentVolumeClaim:
                claimName: dawnload`;
}
