/* Made by `npm run generate` from the SDK's types: what each function takes. */
// biome-ignore-all format: a program has made it

import type { Calls, Fields } from "./check.ts";

const CallOptions: Fields = { "signal?": "object", "user!": "null|string", "timeoutMs?": "number", "retries?": "number", "onAnswer?": "function" };

const PageOptions: Fields = { ...CallOptions, "limit?": "number", "cursor?": "string" };

const NewOwnKey: Fields = { name: "string", "permissions?": "string[]", "expiresAt?": "Date|string" };

const Device: Fields = { "client?": "string", "deviceToken?": "string" };

const ConsoleOptions: Fields = { ...CallOptions, "machineKey?": "string" };

const NewToken: Fields = { name: "string", scopes: "string[]", "app?": "string", expiresIn: "number|string" };

const PostOptions: Fields = { ...CallOptions, "idempotencyKey?": "string" };

const AppOptions: Fields = { ...CallOptions, "include?": "string" };

const AppChanges: Fields = { "name?": "string", "signInEnabled?": "boolean", "profile?": { "developer?": "null|string", "homepage_url?": "null|string", "privacy_url?": "null|string", "terms_url?": "null|string", "support_email?": "null|string", "logo_image_id?": "null|string", "accent_color?": "null|string", "*": "any" }, "tax?": { "mode?": "string", "behavior?": "string", "*": "any" }, "promotionCodes?": "boolean", "delivery?": "string", "deliveryReferrers?": "string[]", "deliveryLimits?": { "bytes?": "null|number", "renditions?": "null|number", "*": "any" }, "imageHost?": "null|string", "freeLimits?": { "images?": "null|number", "bytes?": "null|number", "*": "any" } };

const DeletionOptions: Fields = { ...CallOptions, "cancelSubscriptions?": "boolean" };

const LabelOptions: Fields = { ...CallOptions, "limit?": "number" };

const NewKey: Fields = { name: "string", reach: "string", permissions: "string[]", "expiresAt?": "Date|string" };

const KeyChanges: Fields = { "name?": "string", "expiresAt?": "Date|null|string" };

const ExportPageOptions: Fields = { ...CallOptions, "after?": "string" };

const NewWebhookEndpoint: Fields = { url: "string", "types?": "string[]", "description?": "string" };

const WebhookEndpointChanges: Fields = { "state?": "string", "url?": "string", "types?": "string[]", "description?": "string" };

const DeliveryOptions: Fields = { ...CallOptions, "include?": "string" };

const PresetChanges: Fields = { "name?": "string", "parameters?": { "*": "string" } };

const NewGrant: Fields = { planKey: "string", until: "Date|string", reason: "string" };

const NewPlan: Fields = { key: "string", name: "string", "description?": "string", "benefits?": "string[]", "displayOrder?": "number", "limits?": { "images?": "null|number", "bytes?": "null|number", "*": "any" } };

const PlanDescription: Fields = { "name?": "string", "description?": "string", "benefits?": "string[]", "displayOrder?": "number", "limits?": { "images?": "null|number", "bytes?": "null|number", "*": "any" } };

const NewPrice: Fields = { amount: "number", currency: "string", interval: "string", "trialDays?": "number" };

const Refund: Fields = { invoice: "string", "amount?": "number", reason: "string" };

const AppCheckoutOptions: Fields = { "interval?": "string", "at?": "Date|string" };

const Period: Fields = { "from?": "Date|number|string", "to?": "Date|number|string" };

const ListOptions: Fields = { ...CallOptions, "ids?": "string[]", "labels?": { "*": "null|string|string[]" }, "created?": Period, "published?": Period, "expires?": Period, "formats?": "string[]", "filenamePrefix?": "string", "externalId?": "string", "sha256?": "string", "similarTo?": "string", "q?": "string", "order?": "string", "include?": "string[]", "totalMax?": "number", "limit?": "number", "cursor?": "string" };

const AppListOptions: Fields = { ...ListOptions, "state?": "string" };

const IncludeOptions: Fields = { ...CallOptions, "include?": "string[]" };

const ImageFilter: Fields = { "user?": "null|string", "created?": Period, "order?": "string", "state?": "string", "externalId?": "string", "labels?": { "*": "null|string|string[]" }, "q?": "string", "ids?": "string[]", "published?": Period, "expires?": Period, "formats?": "string[]", "filenamePrefix?": "string", "sha256?": "string", "similarTo?": "string" };

const ImageAct: Fields = { "labels?": { "*": "null|string" }, "ttl?": "null|number|string", "delete?": "boolean", "restore?": "boolean", "move?": { user: "null|string", "*": "any" } };

const NewReport: Fields = { url: "string", reason: "string", "note?": "null|string", "email?": "null|string" };

const PreviewOptions: Fields = { ...CallOptions, "width?": "number", "height?": "number", "format?": "string" };

const Verdict: Fields = { "reason?": "null|string", "note?": "null|string" };

const RevisedVerdict: Fields = { ...Verdict, "revision?": "null|number" };

const Release: Fields = { ...RevisedVerdict, "reopen_reports?": "boolean" };

const AppTerms: Fields = { "plan?": "null|string", "sellingEnabled?": "boolean", "limits?": { "images?": "null|number", "users?": "null|number", "*": "any" } };

const NewAppImport: Fields = { app: "string", manifest: "string", installation: "string", images: "number" };

const LogOptions: Fields = { ...CallOptions, "after?": "string", "level?": "string", "limit?": "number" };

const ReconcileOptions: Fields = { ...PostOptions, "scrub?": "boolean", "repair?": "boolean" };

const CollectOptions: Fields = { ...PostOptions, "move?": "boolean" };

const ClientOptions: Fields = { baseUrl: "string", apiKey: "null|string", "app?": "string", "user!": "null|string", "fetch?": "function", "timeoutMs?": "number", "leftMs?": "function", "retries?": "number" };

export const CREATE_MANAGEMENT: Fields = { options: ClientOptions };

export const MANAGEMENT: Calls = {
	me: {
		get: [{ "options?": CallOptions }],
		changeEmail: [{ email: "string", "options?": CallOptions }],
		setLocale: [{ locale: "null|string", "options?": CallOptions }],
		activity: {
			list: [{ "options?": { ...PageOptions, "since?": "Date|string" } }],
			all: [{ "options?": { ...PageOptions, "since?": "Date|string" } }, {}],
		},
		exports: {
			start: [{ "options?": { ...CallOptions, "app?": "string" } }],
			download: [{ id: "string", "options?": CallOptions }],
			list: [{ "options?": { ...PageOptions } }],
			all: [{ "options?": { ...PageOptions } }, {}],
		},
		delete: [{ "options?": { ...CallOptions, "withdraw?": "boolean" } }],
		passkeys: {
			start: [{ "options?": CallOptions }],
			create: [{ from: { id: "string", "*": "any" }, name: "string", credential: { "*": "any" }, "options?": CallOptions }],
			delete: [{ id: "string", "options?": CallOptions }],
			list: [{ "options?": { ...PageOptions } }],
			all: [{ "options?": { ...PageOptions } }, {}],
			add: [{ from: { id: "string", "*": "any" }, name: "string", credential: { "*": "any" }, "options?": CallOptions }],
			remove: [{ id: "string", "options?": CallOptions }],
		},
		plans: {
			get: [{ id: "string", "options?": CallOptions }],
			cancel: [{ id: "string", "options?": CallOptions }],
			resume: [{ id: "string", "options?": CallOptions }],
			withdraw: [{ id: "string", "options?": CallOptions }],
			preview: [{ id: "string", priceId: "string", "options?": CallOptions }],
			invoices: [{ id: "string" }, {
				list: [{ "options?": { ...PageOptions } }],
				all: [{ "options?": { ...PageOptions } }, {}],
			}],
			list: [{ "options?": { ...PageOptions } }],
			all: [{ "options?": { ...PageOptions } }, {}],
		},
		invoice: [{ id: "string", "options?": CallOptions }],
		keys: {
			create: [{ ownKey: NewOwnKey, "options?": CallOptions }],
			delete: [{ id: "string", "options?": CallOptions }],
			list: [{ "options?": { ...PageOptions } }],
			all: [{ "options?": { ...PageOptions } }, {}],
			revoke: [{ id: "string", "options?": CallOptions }],
		},
		connections: {
			disconnect: [{ appId: "string", "options?": { ...CallOptions, "withdraw?": "boolean" } }],
			keys: [{ appId: "string" }, {
				create: [{ name: "string", "options?": CallOptions }],
				delete: [{ id: "string", "options?": CallOptions }],
				list: [{ "options?": { ...PageOptions } }],
				all: [{ "options?": { ...PageOptions } }, {}],
				revoke: [{ id: "string", "options?": CallOptions }],
			}],
			list: [{ "options?": { ...PageOptions } }],
			all: [{ "options?": { ...PageOptions } }, {}],
		},
	},
	sessions: {
		login: [{ email: "string", "device?": Device, "options?": CallOptions }],
		verify: [{ from: { id: "string", secret: "null|string", "*": "any" }, code: "string", "options?": CallOptions }],
		stepUp: [{ "options?": CallOptions }],
		confirm: [{ from: { id: "string", secret: "null|string", "*": "any" }, code: "string", "options?": CallOptions }],
		startPasskey: [{ "options?": CallOptions }],
		verifyPasskey: [{ from: { id: "string", "*": "any" }, credential: { "*": "any" }, "device?": Device, "options?": CallOptions }],
		openConsole: [{ "options?": ConsoleOptions }],
		endOthers: [{ "choices?": { "keepTokens?": "boolean" }, "options?": CallOptions }],
		delete: [{ "id?": "string", "options?": CallOptions }],
		list: [{ "options?": { ...PageOptions } }],
		all: [{ "options?": { ...PageOptions } }, {}],
		end: [{ "id?": "string", "options?": CallOptions }],
	},
	tokens: {
		create: [{ token: NewToken, "options?": CallOptions }],
		delete: [{ id: "string", "options?": CallOptions }],
		list: [{ "options?": { ...PageOptions } }],
		all: [{ "options?": { ...PageOptions } }, {}],
		revoke: [{ id: "string", "options?": CallOptions }],
	},
	apps: {
		create: [{ name: "string", "options?": PostOptions }],
		get: [{ id: "string", "options?": AppOptions }],
		edit: [{ id: "string", changes: AppChanges, "options?": CallOptions }],
		delete: [{ id: "string", confirmName: "string", "options?": DeletionOptions }],
		pause: [{ id: "string", "options?": CallOptions }],
		resume: [{ id: "string", "options?": CallOptions }],
		verifyImageHost: [{ id: "string", "options?": CallOptions }],
		transfer: [{ id: "string", member: "string", "options?": CallOptions }],
		of: [{ id: "string" }, {
			labels: [{ "prefix?": "string", "options?": LabelOptions }],
			audit: {
				list: [{ "options?": { ...PageOptions, "actor?": "string", "event?": "string", "since?": "Date|string" } }],
				all: [{ "options?": { ...PageOptions, "actor?": "string", "event?": "string", "since?": "Date|string" } }, {}],
			},
			moderation: {
				list: [{ "options?": { ...PageOptions } }],
				all: [{ "options?": { ...PageOptions } }, {}],
			},
			keys: {
				get: [{ id: "string", "options?": CallOptions }],
				create: [{ key: NewKey, "options?": PostOptions }],
				edit: [{ id: "string", keyChanges: KeyChanges, "options?": CallOptions }],
				rotate: [{ id: "string", "oldExpiresIn?": "number|string", "options?": CallOptions }],
				delete: [{ id: "string", "options?": CallOptions }],
				list: [{ "options?": { ...PageOptions } }],
				all: [{ "options?": { ...PageOptions } }, {}],
				update: [{ id: "string", keyChanges: KeyChanges, "options?": CallOptions }],
				revoke: [{ id: "string", "options?": CallOptions }],
			},
			exports: {
				start: [{ "options?": PostOptions }],
				rehearse: [{ "options?": PostOptions }],
				records: [{ id: "string", "options?": ExportPageOptions }],
				master: [{ id: "string", image: "string", "options?": CallOptions }],
			},
			members: {
				changeRole: [{ id: "string", role: "string", "revokeKeys?": "boolean", "options?": CallOptions }],
				delete: [{ id: "string", "revokeKeys?": "boolean", "options?": CallOptions }],
				list: [{ "options?": { ...PageOptions } }],
				all: [{ "options?": { ...PageOptions } }, {}],
				remove: [{ id: "string", "revokeKeys?": "boolean", "options?": CallOptions }],
			},
			invites: {
				create: [{ email: "string", role: "string", "options?": PostOptions }],
				delete: [{ id: "string", "options?": CallOptions }],
				list: [{ "options?": { ...PageOptions } }],
				all: [{ "options?": { ...PageOptions } }, {}],
				withdraw: [{ id: "string", "options?": CallOptions }],
			},
			redirectUris: {
				create: [{ uri: "string", "options?": CallOptions }],
				delete: [{ id: "string", "options?": CallOptions }],
				list: [{ "options?": { ...PageOptions } }],
				all: [{ "options?": { ...PageOptions } }, {}],
				add: [{ uri: "string", "options?": CallOptions }],
				remove: [{ id: "string", "options?": CallOptions }],
			},
			webhooks: {
				get: [{ id: "string", "options?": CallOptions }],
				create: [{ endpoint: NewWebhookEndpoint, "options?": PostOptions }],
				edit: [{ id: "string", changes: WebhookEndpointChanges, "options?": CallOptions }],
				delete: [{ id: "string", "options?": CallOptions }],
				rotate: [{ id: "string", "oldExpiresIn?": "number|string", "options?": PostOptions }],
				test: [{ id: "string", "options?": PostOptions }],
				recover: [{ id: "string", since: "Date|string", "options?": PostOptions }],
				deliveries: [{ id: "string" }, {
					get: [{ delivery: "string", "options?": DeliveryOptions }],
					redeliver: [{ delivery: "string", "options?": PostOptions }],
					list: [{ "options?": { ...PageOptions, "state?": "string", "event_id?": "string", "types?": "string" } }],
					all: [{ "options?": { ...PageOptions, "state?": "string", "event_id?": "string", "types?": "string" } }, {}],
				}],
				list: [{ "options?": { ...PageOptions } }],
				all: [{ "options?": { ...PageOptions } }, {}],
				update: [{ id: "string", changes: WebhookEndpointChanges, "options?": CallOptions }],
				remove: [{ id: "string", "options?": CallOptions }],
			},
			presets: {
				create: [{ name: "string", parameters: { "*": "string" }, "options?": PostOptions }],
				edit: [{ id: "string", changes: PresetChanges, "options?": CallOptions }],
				delete: [{ id: "string", "options?": CallOptions }],
				list: [{ "options?": { ...PageOptions } }],
				all: [{ "options?": { ...PageOptions } }, {}],
				update: [{ id: "string", changes: PresetChanges, "options?": CallOptions }],
			},
			signingKeys: {
				create: [{ name: "string", "options?": PostOptions }],
				delete: [{ id: "string", "options?": CallOptions }],
				list: [{ "options?": { ...PageOptions } }],
				all: [{ "options?": { ...PageOptions } }, {}],
			},
			users: {
				get: [{ id: "string", "options?": CallOptions }],
				grant: [{ id: "string", grant: NewGrant, "options?": CallOptions }],
				ungrant: [{ id: "string", "options?": CallOptions }],
				disconnect: [{ id: "string", "options?": CallOptions }],
				list: [{ "options?": { ...PageOptions, "email?": "string" } }],
				all: [{ "options?": { ...PageOptions, "email?": "string" } }, {}],
			},
			plans: {
				create: [{ plan: NewPlan, "options?": PostOptions }],
				edit: [{ id: "string", planDescription: PlanDescription, "options?": CallOptions }],
				archive: [{ id: "string", "options?": CallOptions }],
				createPrice: [{ id: "string", price: NewPrice, "options?": PostOptions }],
				setOnSale: [{ id: "string", priceId: "string", onSale: "boolean", "options?": CallOptions }],
				list: [{ "options?": { ...PageOptions } }],
				all: [{ "options?": { ...PageOptions } }, {}],
				update: [{ id: "string", planDescription: PlanDescription, "options?": CallOptions }],
				addPrice: [{ id: "string", price: NewPrice, "options?": PostOptions }],
			},
			subscriptions: {
				get: [{ id: "string", "options?": CallOptions }],
				refund: [{ id: "string", refund: Refund, "options?": PostOptions }],
				list: [{ "options?": { ...PageOptions } }],
				all: [{ "options?": { ...PageOptions } }, {}],
			},
			billing: {
				get: [{ "options?": CallOptions }],
				checkout: [{ plan: "string", "options?": { ...CallOptions, ...AppCheckoutOptions } }],
				preview: [{ plan: "string", "options?": { ...CallOptions, "interval?": "string" } }],
				cancel: [{ "options?": CallOptions }],
				resume: [{ "options?": CallOptions }],
				changePaymentMethod: [{ "options?": CallOptions }],
				invoices: {
					list: [{ "options?": { ...PageOptions } }],
					all: [{ "options?": { ...PageOptions } }, {}],
				},
			},
			usage: {
				total: [{ "options?": CallOptions }],
				byUser: {
					list: [{ "options?": { ...PageOptions } }],
					all: [{ "options?": { ...PageOptions } }, {}],
				},
				byMonth: {
					list: [{ "options?": { ...PageOptions } }],
					all: [{ "options?": { ...PageOptions } }, {}],
				},
			},
			images: {
				list: [{ "options?": AppListOptions }],
				all: [{ "options?": AppListOptions }, {}],
				get: [{ id: "string", "options?": IncludeOptions }],
				zip: [{ "filter?": { "created?": Period, "user?": "null|string", "order?": "string", "externalId?": "string", "labels?": { "*": "null|string|string[]" }, "q?": "string", "ids?": "string[]", "published?": Period, "expires?": Period, "formats?": "string[]", "filenamePrefix?": "string", "sha256?": "string", "similarTo?": "string" }, "options?": CallOptions }],
				deleted: {
					list: [{ "options?": ListOptions }],
					all: [{ "options?": ListOptions }, {}],
				},
			},
			imageJobs: {
				create: [{ filter: ImageFilter, imageAct: ImageAct, "options?": PostOptions }],
				cancel: [{ id: "string", "options?": CallOptions }],
			},
			jobs: {
				list: [{ "options?": { ...PageOptions, "state?": "string" } }],
				all: [{ "options?": { ...PageOptions, "state?": "string" } }, {}],
			},
		}],
		list: [{ "options?": { ...PageOptions, "include?": "string" } }],
		all: [{ "options?": { ...PageOptions, "include?": "string" } }, {}],
		update: [{ id: "string", changes: AppChanges, "options?": CallOptions }],
	},
	acceptInvite: [{ id: "string", token: "string", "call?": CallOptions }],
	jobs: {
		get: [{ id: "string", "options?": CallOptions }],
		wait: [{ id: "string", "options?": { ...CallOptions, "everyMs?": "number" } }],
	},
	report: [{ report: NewReport, "call?": CallOptions }],
	moderation: {
		get: [{ id: "string", "options?": CallOptions }],
		preview: [{ id: "string", "options?": PreviewOptions }],
		lock: [{ id: "string", "verdict?": RevisedVerdict, "options?": CallOptions }],
		unlock: [{ id: "string", "verdict?": Release, "options?": CallOptions }],
		block: [{ id: "string", verdict: { "revision?": "null|number", reason: "string", "note?": "null|string" }, "options?": CallOptions }],
		unblock: [{ id: "string", "verdict?": Release, "options?": CallOptions }],
		setNsfw: [{ id: "string", nsfw: "boolean", "verdict?": { "revision?": "null|number", "note?": "null|string" }, "options?": CallOptions }],
		delete: [{ id: "string", "options?": CallOptions }],
		batch: [{ ids: "string[]", action: "string", "verdict?": { ...Verdict, "reopen_reports?": "boolean" }, "options?": PostOptions }],
		reports: {
			resolve: [{ id: "string", outcome: "string", "options?": CallOptions }],
			list: [{ "options?": { ...PageOptions, "state?": "string" } }],
			all: [{ "options?": { ...PageOptions, "state?": "string" } }, {}],
		},
		list: [{ "options?": { ...PageOptions, "state?": "string", "app?": "string", "similar_to?": "string" } }],
		all: [{ "options?": { ...PageOptions, "state?": "string", "app?": "string", "similar_to?": "string" } }, {}],
	},
	operator: {
		bootstrap: [{ secret: "string", email: "string", "options?": CallOptions }],
		operators: {
			create: [{ email: "string", "options?": PostOptions }],
			delete: [{ id: "string", "options?": CallOptions }],
			list: [{ "options?": { ...PageOptions } }],
			all: [{ "options?": { ...PageOptions } }, {}],
			add: [{ email: "string", "options?": PostOptions }],
			remove: [{ id: "string", "options?": CallOptions }],
		},
		apps: {
			get: [{ id: "string", "options?": CallOptions }],
			edit: [{ id: "string", appTerms: AppTerms, "options?": CallOptions }],
			block: [{ id: "string", reason: "string", "note?": "string", "options?": CallOptions }],
			unblock: [{ id: "string", "note?": "string", "options?": CallOptions }],
			list: [{ "options?": { ...PageOptions, "q?": "string", "state?": "string" } }],
			all: [{ "options?": { ...PageOptions, "q?": "string", "state?": "string" } }, {}],
			update: [{ id: "string", appTerms: AppTerms, "options?": CallOptions }],
		},
		appImports: {
			open: [{ file: NewAppImport, "options?": CallOptions }],
			get: [{ id: "string", "options?": CallOptions }],
			addRecords: [{ id: "string", records: { "[]": "object" }, "options?": CallOptions }],
			addMaster: [{ id: "string", sha256: "string", bytes: "bytes", "options?": CallOptions }],
			finish: [{ id: "string", "options?": CallOptions }],
			delete: [{ id: "string", "options?": CallOptions }],
		},
		accounts: {
			disable: [{ id: "string", "options?": CallOptions }],
			enable: [{ id: "string", "options?": CallOptions }],
			list: [{ "options?": { ...PageOptions, "q?": "string", "status?": "string" } }],
			all: [{ "options?": { ...PageOptions, "q?": "string", "status?": "string" } }, {}],
		},
		jobs: {
			retry: [{ id: "string", "options?": PostOptions }],
			list: [{ "options?": { ...PageOptions, "state?": "string", "kind?": "string" } }],
			all: [{ "options?": { ...PageOptions, "state?": "string", "kind?": "string" } }, {}],
		},
		emails: {
			list: [{ "options?": { ...PageOptions, "state?": "string", "recipient?": "string", "template?": "string" } }],
			all: [{ "options?": { ...PageOptions, "state?": "string", "recipient?": "string", "template?": "string" } }, {}],
		},
		audit: {
			list: [{ "options?": { ...PageOptions, "actor?": "string", "event?": "string", "since?": "Date|string", "app?": "string" } }],
			all: [{ "options?": { ...PageOptions, "actor?": "string", "event?": "string", "since?": "Date|string", "app?": "string" } }, {}],
		},
		usage: [{ "options?": CallOptions }],
		logs: [{ "options?": LogOptions }],
		health: [{ "options?": CallOptions }],
		reconcile: [{ "options?": ReconcileOptions }],
		backups: {
			create: [{ "options?": PostOptions }],
		},
		trash: {
			restore: [{ blobs: "string[]", "options?": PostOptions }],
			collect: [{ "options?": CollectOptions }],
			list: [{ "options?": { ...PageOptions } }],
			all: [{ "options?": { ...PageOptions } }, {}],
		},
		subscriptions: {
			cancel: [{ id: "string", at: "string", reason: "string", "options?": CallOptions }],
			extend: [{ id: "string", days: "number", reason: "string", "options?": CallOptions }],
			refund: [{ id: "string", refund: Refund, "options?": CallOptions }],
			list: [{ "options?": { ...PageOptions, "app?": "string", "state?": "string", "email?": "string" } }],
			all: [{ "options?": { ...PageOptions, "app?": "string", "state?": "string", "email?": "string" } }, {}],
		},
		simulation: {
			clock: [{ "options?": CallOptions }],
			advanceClock: [{ to: "Date|string", "options?": CallOptions }],
			decide: [{ subscription: "string", outcome: "string", "options?": PostOptions }],
		},
	},
};
