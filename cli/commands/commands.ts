import type { Group } from "../kit/command.ts";
import { SUMMARIES } from "./summaries.ts";

/** What people look for together. Commands of a group are loaded together, when one of them is run or explained. */
const PARTS = {
	Images: {
		images: {
			summary: "work with images",
			commands: async () => (await import("./images/images.ts")).IMAGE_COMMANDS,
		},
		"image-jobs": {
			summary: "change all images that fit a filter",
			commands: async () => (await import("./image-jobs/image-jobs.ts")).IMAGE_JOB_COMMANDS,
		},
		tickets: {
			summary: "let browsers and phones upload without a key",
			commands: async () => (await import("./imports/tickets.ts")).TICKET_COMMANDS,
		},
		imports: {
			summary: "let the service fetch many images from their addresses",
			commands: async () => (await import("./imports/imports.ts")).IMPORT_COMMANDS,
		},
		migrate: { summary: SUMMARIES.migrate, load: async () => (await import("./migrate/migrate.ts")).migrate },
		labels: { summary: SUMMARIES.labels, load: async () => (await import("./apps/usage.ts")).labels },
		usage: {
			summary: "see what is stored",
			old: { show: "get" },
			commands: async () => (await import("./apps/usage.ts")).USAGE_COMMANDS,
		},
		presets: {
			summary: "give forms of an App's images a name",
			old: { rm: "delete" },
			commands: async () => (await import("./delivery/presets.ts")).PRESET_COMMANDS,
		},
		"signing-keys": {
			summary: "work with the keys that sign addresses of an App's images",
			old: { rm: "delete" },
			commands: async () => (await import("./delivery/signing-keys.ts")).SIGNING_KEY_COMMANDS,
		},
	},
	"Apps, their teams and users": {
		apps: {
			summary: "work with Apps",
			direct: { list: async () => (await import("./apps/list.ts")).list },
			commands: async () => (await import("./apps/apps.ts")).APP_COMMANDS,
		},
		keys: {
			summary: "work with an App's keys",
			old: { revoke: "delete" },
			commands: async () => (await import("./keys/keys.ts")).KEY_COMMANDS,
		},
		"redirect-uris": {
			summary: "say where hosted sign-in may send people back to",
			old: { add: "create", rm: "delete" },
			commands: async () => (await import("./apps/redirect-uris.ts")).REDIRECT_URI_COMMANDS,
		},
		users: {
			summary: "work with the people who are connected to an App",
			commands: async () => (await import("./apps/users.ts")).USER_COMMANDS,
		},
		members: {
			summary: "work with an App's team",
			old: { role: "edit", remove: "delete" },
			commands: async () => (await import("./apps/members.ts")).MEMBER_COMMANDS,
		},
		invites: {
			summary: "work with invites into an App's team",
			old: { revoke: "delete" },
			commands: async () => (await import("./apps/members.ts")).INVITE_COMMANDS,
		},
		webhooks: {
			summary: "work with where an App's events are sent",
			old: { rm: "delete" },
			commands: async () => (await import("./webhooks/webhooks.ts")).WEBHOOK_COMMANDS,
		},
		events: {
			summary: "see what happens to an App",
			alone: "list",
			commands: async () => (await import("./webhooks/events.ts")).EVENT_COMMANDS,
		},
		listen: { summary: SUMMARIES.listen, load: async () => (await import("./webhooks/events.ts")).listen },
		audit: {
			summary: "see what was done in an App",
			commands: async () => (await import("./audit/audit.ts")).AUDIT_COMMANDS,
		},
	},
	"What Apps sell, and pay": {
		plans: {
			summary: "work with what an App sells",
			commands: async () => (await import("./billing/plans.ts")).PLAN_COMMANDS,
		},
		prices: {
			summary: "work with what plans cost",
			old: { add: "create" },
			commands: async () => (await import("./billing/prices.ts")).PRICE_COMMANDS,
		},
		subscribers: {
			summary: "see who pays an App",
			commands: async () => (await import("./billing/subscribers.ts")).SUBSCRIBER_COMMANDS,
		},
		billing: {
			summary: "pay for an App's own plan",
			commands: async () => (await import("./billing/billing.ts")).BILLING_COMMANDS,
		},
	},
	"You, and this machine": {
		login: { summary: SUMMARIES.login, load: async () => (await import("./account/login.ts")).login },
		logout: { summary: SUMMARIES.logout, load: async () => (await import("./account/logout.ts")).logout },
		whoami: { summary: SUMMARIES.whoami, load: async () => (await import("./account/whoami.ts")).whoami },
		profile: {
			summary: "services and who you are there, as kept on this machine",
			old: { add: "create", rm: "delete" },
			commands: async () => (await import("./account/profile.ts")).PROFILE_COMMANDS,
		},
		config: {
			summary: "settings of a profile",
			commands: async () => (await import("./account/config.ts")).CONFIG_COMMANDS,
		},
		account: {
			summary: "what happens to your own account, and a copy of it",
			commands: async () => (await import("./account/account.ts")).ACCOUNT_COMMANDS,
		},
		sessions: {
			summary: "where you are signed in",
			old: { end: "delete" },
			commands: async () => (await import("./account/sessions.ts")).SESSION_COMMANDS,
		},
		tokens: {
			summary: "your own tokens, for scripts",
			old: { revoke: "delete" },
			commands: async () => (await import("./account/tokens.ts")).TOKEN_COMMANDS,
		},
	},
	"The service, and its operators": {
		serve: { summary: SUMMARIES.serve, load: async () => (await import("./program/serve.ts")).serve },
		server: {
			summary: "the service itself",
			commands: async () => (await import("./server/server.ts")).SERVER_COMMANDS,
		},
		operator: {
			summary: "see the whole service, for operators",
			commands: async () => (await import("./operator/operator.ts")).OPERATOR_COMMANDS,
		},
		moderation: {
			summary: "judge images, for operators",
			old: { queue: "list", show: "get" },
			commands: async () => (await import("./moderation/moderation.ts")).MODERATION_COMMANDS,
		},
		reports: {
			summary: "settle what people reported, for operators",
			commands: async () => (await import("./moderation/reports.ts")).REPORT_COMMANDS,
		},
		selling: {
			summary: "decide which Apps sell, for operators",
			commands: async () => (await import("./billing/selling.ts")).SELLING_COMMANDS,
		},
		jobs: {
			summary: "watch what takes long",
			commands: async () => (await import("./operator/jobs.ts")).JOB_COMMANDS,
		},
		logs: {
			summary: "see what the service logs, for operators",
			commands: async () => (await import("./operator/logs.ts")).LOG_COMMANDS,
		},
	},
	"Other ways in": {
		tui: { summary: SUMMARIES.tui, load: async () => (await import("./program/tui.ts")).tui },
		open: {
			summary: "open what has an address in the browser",
			commands: async () => (await import("./program/open.ts")).OPEN_COMMANDS,
		},
		mcp: { summary: SUMMARIES.mcp, load: async () => (await import("./program/mcp.ts")).mcp },
		api: { summary: SUMMARIES.api, load: async () => (await import("./program/api.ts")).api },
		completion: {
			summary: SUMMARIES.completion,
			load: async () => (await import("./program/completion.ts")).completion,
		},
		version: { summary: SUMMARIES.version, load: async () => (await import("./program/version.ts")).version },
	},
} satisfies Group["parts"];

/** Every command. */
export const COMMANDS: Group = {
	summary: "store, transform and serve images",
	parts: PARTS,
	commands: async () => Object.assign({}, ...Object.values(PARTS)),
};
