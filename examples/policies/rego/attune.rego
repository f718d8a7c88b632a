# The rules of ../policies.yaml that a plan shows, for conftest:
#
#     attune plan --format json > plan.json
#     conftest test plan.json --policy rego
#
# A plan contains what changes. Rules on settings that no change touches need the policies of Attune.
package main

import rego.v1

plans := input.plans if input.format == "attune.plans/1"

plans := [input] if input.format != "attune.plans/1"

changes := [change | some plan in plans; some change in plan.changes]

workspaces := [change | some change in changes; change.kind == "workspace"; change.action != "delete"]

is_prod(change) if endswith(change.name, "-prod")

sets(change, path, value) if {
	some field in change.fields
	field.path == path
	field.after == value
}

place(change) := sprintf("%s:%d: ", [change.location.file, change.location.line]) if change.location

place(change) := "" if not change.location

refusal(change, id, message) := sprintf("%s%s violates policy %s: %s", [place(change), change.address, id, message])

deny contains refusal(change, "names", "names end with the environment") if {
	some change in workspaces
	not regex.match(`^[a-z0-9]+(-[a-z0-9]+)*-(dev|staging|prod)$`, change.name)
}

deny contains refusal(change, "environment-tag", "exactly one of the tags dev, staging and prod") if {
	some change in workspaces
	some field in change.fields
	field.path == "tags"
	count({tag | some tag in field.after; tag in {"dev", "staging", "prod"}}) != 1
}

deny contains refusal(change, "prod-no-auto-apply", "production runs are applied manually") if {
	some change in workspaces
	is_prod(change)
	sets(change, "auto-apply", true)
}

deny contains refusal(change, "no-global-state", "name the workspaces that may read the state") if {
	some change in workspaces
	sets(change, "global-remote-state", true)
}

# The names of workspaces begin with that of the production workspace's project.
deny contains refusal(change, "prod-state-in-project", "production state is read inside its project only") if {
	some change in workspaces
	is_prod(change)
	prefix := split(change.name, "-")[0]
	some field in change.fields
	field.path == "remote-state-consumers"
	some consumer in field.add
	not startswith(consumer, sprintf("%s-", [prefix]))
}

deny contains refusal(change, "prod-retention", "production workspaces set how long their state is kept") if {
	some change in workspaces
	is_prod(change)
	sets(change, "data-retention", null)
}

deny contains refusal(change, "least-version", "version 1.9 is the oldest that is supported") if {
	some change in workspaces
	some field in change.fields
	field.path == "iac-version"
	not regex.match(`^(~> |>= |= )?(1\.(9|[1-9][0-9]+)|[2-9]\.[0-9]+)(\.[0-9]+)?$`, field.after)
}

# A plan shows teams by their aliases. The policy of Attune compares the name on the service, which no alias hides.
deny contains refusal(change, "no-admin-for-contractors", "contractors have read or write access") if {
	some change in changes
	change.kind == "team-access"
	endswith(change.name, "/contractors")
	some field in change.fields
	field.path == "access"
	not field.after in {"read", "write"}
}

deny contains refusal(change, "keep-protection", "a change must not end what guards.protect protects") if {
	some change in changes
	change.protectionLost
}

deny contains refusal(change, "keep-prod", "the platform team deletes and renames production workspaces") if {
	some change in changes
	change.kind == "workspace"
	change.action == "delete"
	is_prod(change)
}

deny contains refusal(change, "keep-prod", "the platform team deletes and renames production workspaces") if {
	some change in workspaces
	some field in change.fields
	field.path == "name"
	endswith(field.before, "-prod")
	not is_prod(change)
}

deny contains refusal(change, "no-unlocks", "unlock a workspace manually, with its owner") if {
	some change in changes
	some call in change.calls
	call.operation == "unlockWorkspace"
}

deny contains refusal(change, "no-forced-deletes", "destroy the resources of a workspace before you delete it") if {
	some change in changes
	change.mode == "force"
}

warn contains "the plan violates policy small-plans: split large changes into several pull requests" if {
	count(changes) > 100
}
