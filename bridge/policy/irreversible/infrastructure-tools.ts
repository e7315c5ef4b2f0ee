// Owns the hard-to-undo calls of tools for clouds, containers, clusters and forges. Data only;
// call-row.ts describes the format. If a name is in several rows, all of them count.

import { RESOURCE_VERBS } from "../destructive-verbs.ts";
import type { ToolRows } from "./call-row.ts";

/** Tools of the form `tool things delete x`, at any depth. */
const DELETES_ANYWHERE: ToolRows = {
  rows: [`** ${RESOURCE_VERBS}|delete-*|destroy-*|terminate-*`],
};

export const INFRASTRUCTURE_TOOLS: Readonly<Record<string, ToolRows>> = {
  "terraform tofu opentofu terragrunt": {
    valueOptions:
      "-var -var-file -target -state -lock-timeout --terragrunt-working-dir --working-dir",
    flags: "-auto-approve -no-color -input",
    rows: [
      "destroy|apply",
      "** -destroy !-out",
      "state rm|push|mv|replace-provider",
      "workspace delete",
      "force-unlock|taint",
      "run|run-all ** destroy|apply",
    ],
  },
  pulumi: {
    valueOptions: "-s --stack -C --cwd --color",
    rows: ["destroy|down|dn|up|update", "stack rm", "state delete|unprotect"],
  },
  "cdk aws-cdk cdktf sst sam": { rows: ["destroy|remove|delete|deploy|gc"] },
  "serverless sls": { valueOptions: "-s --stage -r --region", rows: ["remove|deploy|rollback"] },
  "amplify copilot eb": { rows: ["delete|remove|terminate", "* delete|remove|terminate"] },
  "helm helmfile": {
    valueOptions: "-n --namespace --kube-context --kubeconfig -f --file -e --environment",
    rows: ["uninstall|delete|del|un|destroy", "upgrade --force", "plugin uninstall|remove|rm"],
  },
  "kubectl kubecolor k oc": {
    valueOptions:
      "-n --namespace --context --kubeconfig --cluster --user -s --server -l --selector -f --filename -o --output --token --as",
    rows: [
      "delete|drain",
      "replace --force",
      "apply --prune",
      "scale --replicas=0",
      "config delete-*|unset",
      "adm drain|prune",
    ],
  },
  "k3s microk8s": { rows: ["kubectl delete|drain", "reset|uninstall", "* delete|prune"] },
  "k3s-uninstall.sh k3s-agent-uninstall.sh rke2-uninstall.sh": { rows: ["**"] },
  kubeadm: { rows: ["reset", "token delete"] },
  talosctl: {
    valueOptions: "-n --nodes -e --endpoints --talosconfig --context",
    rows: ["reset|shutdown|reboot|rollback", "etcd remove-member|forfeit-leadership|leave"],
  },
  "ceph rbd rados radosgw-admin cephadm": {
    rows: ["** rm|remove|del|delete|purge|destroy|zap|out"],
  },
  "hdfs hadoop": { rows: ["dfs|fs -rm*|-expunge|-truncate|-mv", "namenode -format"] },
  "docker podman nerdctl buildah": {
    valueOptions:
      "-H --host -c --context --config -l --log-level -f --file -p --project-name --profile --env-file",
    rows: [
      "system|volume|image|images|container|network|builder|buildx|pod|machine|manifest prune|prune-*",
      "system reset",
      "volume|network|context|secret|config|stack|service|node|plugin|machine|pod|manifest|image|images|buildx rm|remove|delete",
      "swarm leave",
      "rmi",
      "rm|remove -f|--force|-v|--volumes",
      "container rm|remove -f|--force|-v|--volumes",
      "compose down -v|--volumes|--rmi",
      "compose rm -f|--force|-v|--volumes",
    ],
  },
  "docker-compose podman-compose": {
    valueOptions: "-f --file -p --project-name --profile --env-file",
    rows: ["down -v|--volumes|--rmi", "rm -f|--force|-v|--volumes"],
  },
  "crictl ctr": { rows: ["rm|rmp|rmi", "** rm|delete|remove"] },
  aws: {
    valueOptions: "--profile --region --output --endpoint-url --query --ca-bundle --color",
    rows: [
      "s3 rm|rb",
      "s3 sync --delete",
      "s3 mv",
      "* *delete-*|terminate-*|deregister-*|remove-*|purge-*|destroy-*|revoke-*|release-*|schedule-key-deletion|batch-delete*",
      "* close-*|cancel-*|reset-*|disable-*|detach-*|disassociate-*|leave-*|abort-*|reboot-*|restore-*-from*|failover-*|rotate-*",
      "* stop-[^q]*|batch-terminate*|batch-disassociate*|force-*|admin-delete*|admin-disable*|admin-reset*|global-sign-out",
      "* put-bucket-policy|put-bucket-lifecycle*|put-bucket-acl|put-bucket-replication|put-key-policy|put-public-access-block",
      "route53 change-resource-record-sets",
      "cloudformation delete-*|deploy|execute-change-set|rollback-stack",
      "lambda update-function-code",
      "ecs update-service --force-new-deployment|--desired-count=0",
      "autoscaling set-desired-capacity --desired-capacity=0",
    ],
  },
  "s3cmd s5cmd mc": {
    rows: ["del|rm|rb|delete", "sync|mirror --delete-removed|--delete|--remove"],
  },
  gsutil: { rows: ["rm|rb|mv", "* delete|rm|remove", "rsync -d"] },
  gcloud: {
    valueOptions: "--project --zone --region --format --filter --account --configuration",
    rows: [
      `** ${RESOURCE_VERBS}|delete-*|remove-*`,
      "** disable|disable-*|cancel|cancel-*|stop|reset|reset-*|detach|detach-*|revoke|revoke-*|suspend|abandon*|failover|restore*|rollback|drain|clear*|deactivate|undeploy",
      "app|run|functions deploy",
      "** set-iam-policy",
      "storage rsync --delete-unmatched-destination-objects",
    ],
  },
  bq: { rows: ["rm"] },
  az: {
    valueOptions: "-g --resource-group -n --name --subscription -o --output --query",
    rows: [
      `** ${RESOURCE_VERBS}|delete-*`,
      "** disable|disable-*|cancel|stop|deallocate|reset|reset-*|detach|detach-*|revoke|revoke-*|regenerate*|renew*|rotate|failover|restore*|rollback|abort|unassign|clear*|swap",
    ],
  },
  "gh hub glab tea": {
    valueOptions: "-R --repo --hostname -b --body -t --title -F --body-file --jq -q --json",
    rows: [
      "repo|project delete|archive|transfer",
      "repo edit --visibility",
      "* delete|remove|delete-*|item-delete|field-delete",
      "repo deploy-key|autolink delete",
      "pr|mr close|merge --delete-branch|-d|--remove-source-branch",
      "repo rename",
      "repo sync --force",
      "secret|variable|label|release|cache|run|ssh-key|gpg-key|codespace|gist|extension|alias delete|remove",
      "api -X=DELETE|--method=DELETE",
    ],
    // A mutation of GitHub's API.
    texts: [
      /\bmutation\b/,
      /\b(?:delete|remove|archive|transfer|close|disable|dismiss|revoke)[A-Z]\w*/,
    ],
  },
  gh: { rows: [], texts: [/^archived=true$/] },
  "fly flyctl": {
    valueOptions: "-a --app -c --config -o --org",
    rows: [`** ${RESOURCE_VERBS}`, "deploy", "scale count 0", "secrets unset"],
  },
  heroku: {
    valueOptions: "-a --app -r --remote",
    rows: [
      "*:destroy|*:delete|*:remove|*:reset|*:rollback|*:unset|*:clear|*:purge|*:transfer|destroy",
      "pg:push|pg:copy|pg:promote|pg:killall",
    ],
  },
  "dokku gigalixir clever scalingo cf": {
    rows: ["*:destroy|*:delete|delete*|destroy*", ...DELETES_ANYWHERE.rows],
  },
  "vercel now": {
    valueOptions: "--token -t --scope -S --cwd -A --local-config",
    rows: ["remove|rm|deploy|promote|rollback|redeploy", "** --prod", "* rm|remove"],
  },
  netlify: { rows: ["deploy", "*:delete|*:unset|*:disable", "api delete*"] },
  wrangler: {
    valueOptions: "-c --config -e --env --name",
    rows: [
      "deploy|publish|delete|rollback",
      "** delete|destroy|purge|rollback|deploy|publish",
      "kv|r2 bulk|object delete",
      "d1 time-travel restore",
    ],
  },
  "firebase firebase-tools": {
    valueOptions: "-P --project --token",
    rows: ["deploy", "*:delete|*:disable|*:remove|*:destroy|*:unset|database:set"],
  },
  supabase: {
    rows: ["db push|reset", "** delete|remove", "migration down|repair|squash", "stop --no-backup"],
  },
  "railway render koyeb northflank": { rows: ["down|delete|remove", "** delete|remove|down"] },
  "doctl hcloud linode-cli scw ibmcloud oci aliyun tccli yc vultr-cli civo exo upctl openstack":
    DELETES_ANYWHERE,
  "eksctl kops rancher k3d kind minikube colima limactl multipass lxc incus": {
    rows: ["delete|purge|destroy|rm", "** delete|remove|rm|purge"],
  },
  "argocd flux istioctl linkerd velero tkn": {
    rows: ["uninstall|delete|purge", "** delete|uninstall|delete-*"],
  },
  "vagrant vmrun prlctl tart": {
    rows: ["destroy|delete|deletevm", "* delete|remove|prune|restore"],
  },
  vboxmanage: { rows: ["unregistervm", "** delete|remove|closemedium"] },
  virsh: {
    valueOptions: "-c --connect",
    rows: [
      "destroy|undefine|reset|snapshot-revert",
      "*-delete|*-destroy|*-undefine|*-wipe|*-remove",
    ],
  },
  consul: { rows: ["** delete|force-leave|leave"] },
  vault: { rows: ["delete", "** delete|destroy|disable|revoke", "operator seal|rekey"] },
  nomad: { rows: ["job|deployment|node stop|fail|purge|drain", "stop", "** delete|purge"] },
  etcdctl: { rows: ["del|rm|rmdir", "** remove|delete|disable|restore"] },
  ansible: { rows: ["** -m=file|--module-name=file", "** -m=user|--module-name=user"] },
  "confluent ccloud rpk atlas mongocli neonctl neon pscale turso fauna hasura": {
    rows: [...DELETES_ANYWHERE.rows, "** drop|reset|restore"],
  },
  "databricks snow circleci stripe twilio auth0 shopify contentful sanity sentry-cli": {
    rows: ["** delete|drop|rm|purge|remove|destroy"],
  },
};
