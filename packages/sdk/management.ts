import { appImagesOf, appJobsOf, imageJobsOf } from "./calls/app-images.ts";
import { contentsOf, invitesOf, keysOf, membersOf, redirectUrisOf, usageOf, usersOf } from "./calls/app-team.ts";
import { appBillingOf, ownPlansOf, plansOf, subscriptionsOf } from "./calls/billing.ts";
import { presetsOf, signingKeysOf } from "./calls/delivery.ts";
import { moderationOf } from "./calls/moderation.ts";
import { appExportsOf } from "./calls/moves.ts";
import { operatorsOf } from "./calls/operators.ts";
import { webhooksOf } from "./calls/webhooks.ts";
import type {
	Account,
	App,
	AppProfile,
	AppTax,
	AuditEntry,
	BlockReason,
	Connection,
	ConsoleTicket,
	DeliveryLimits,
	DeliveryPolicy,
	Ended,
	Invoice,
	Job,
	Login,
	ManagedKey,
	Member,
	Passkey,
	PasskeyOptions,
	Permission,
	Scope,
	Session,
	TakenReport,
	Token,
	UserLimits,
	VerifiedSession,
} from "./shapes.ts";
import type { Open, WithSecret } from "./types.ts";
import { type Calls, callsOn, dateText, pagesOf, pathOf, withOldNames } from "./wire/calls.ts";
import { checkArguments, checked } from "./wire/check.ts";
import type { CallOptions, ClientOptions, PostOptions } from "./wire/request.ts";
import { wait } from "./wire/retry.ts";
import { CREATE_MANAGEMENT, MANAGEMENT } from "./wire/takes-management.ts";
import { createTransport, type Transport } from "./wire/transport.ts";

export interface NewToken {
	readonly name: string;
	readonly scopes: readonly Scope[];
	/** Binds the token to one App. */
	readonly app?: string | undefined;
	/** Seconds, or a duration such as `90d`; at most 365 days. */
	readonly expiresIn: string | number;
}

export interface NewOwnKey {
	readonly name: string;
	/** Default: both. */
	readonly permissions?: readonly Open<Permission>[] | undefined;
	/** At most 365 days from now. Default: until revoked. */
	readonly expiresAt?: Date | string | undefined;
}

export interface AppChanges {
	readonly name?: string | undefined;
	readonly signInEnabled?: boolean | undefined;
	/** The fields that are to change; null clears one. */
	readonly profile?: Partial<AppProfile> | undefined;
	/** The Owner's: of what is bought from now on. */
	readonly tax?: Partial<AppTax> | undefined;
	/** The Owner's: whether the payment processor's checkout takes its own promotion codes. */
	readonly promotionCodes?: boolean | undefined;
	/** Which addresses of its images the transform host answers. */
	readonly delivery?: Open<DeliveryPolicy> | undefined;
	/** The hosts whose pages may show its images, such as `example.com` or `*.example.com`; none: all. */
	readonly deliveryReferrers?: readonly string[] | undefined;
	/** What is served and made of its images on a day; null: any number. What is not named stays. */
	readonly deliveryLimits?: Partial<DeliveryLimits> | undefined;
	/** The Owner's: a host of the App's own for its images, such as `img.example.com`; null: they are on the service's. */
	readonly imageHost?: string | null | undefined;
	/** What the storage of a user without a plan holds; null: any number. What is not named stays. */
	readonly freeLimits?: Partial<UserLimits> | undefined;
}

export interface ConsoleOptions extends CallOptions {
	/** In place of a session, on the service's own machine. */
	readonly machineKey?: string | undefined;
}

export interface Device {
	/** Names this program to its user, who sees it in the list of sessions. */
	readonly client?: string | undefined;
	/** `device_token` of this device's last session. */
	readonly deviceToken?: string | undefined;
}

/** What a browser answers: `credential.toJSON()`. */
export type PasskeyCredential = Readonly<Record<string, unknown>>;

export interface NewReport {
	/** Address of the image. */
	readonly url: string;
	readonly reason: Open<BlockReason>;
	readonly note?: string | null | undefined;
	readonly email?: string | null | undefined;
}

export interface DeletionOptions extends CallOptions {
	/** Without it, deleting an App with live subscribers is a `state_conflict`. */
	readonly cancelSubscriptions?: boolean | undefined;
}

const POLL_MS = 500;

export type Management = ReturnType<typeof createManagement>;

/**
 * The management API: for people who run Apps or the service, with a session (`svc_ses_…`) or token (`svc_pat_…`) as `apiKey`.
 * Null, when no person is signed in, is enough for `sessions.login`, `sessions.verify`, `report` and `operator.bootstrap`. Calls
 * reject as those of the client for images do.
 */
export function createManagement(options: ClientOptions) {
	checkArguments("createManagement", CREATE_MANAGEMENT, [options]);
	return checked(managementOn(createTransport(options, "createManagement")), MANAGEMENT);
}

function managementOn(transport: Transport) {
	const calls = callsOn(transport);
	return {
		me: meOf(transport, calls),
		sessions: sessionsOf(transport, calls),
		tokens: tokensOf(transport, calls),
		apps: appsOf(transport, calls),
		/** `token` is in the mailed link. */
		acceptInvite: (id: string, token: string, call?: CallOptions) =>
			calls.post<Member>(pathOf("invites", id, "accept"), { token }, call),
		jobs: jobsOf(calls),
		/** Tells the operators about an image. */
		report: (report: NewReport, call?: CallOptions) => calls.post<TakenReport>(pathOf("reports"), report, call),
		moderation: moderationOf(transport, calls),
		operator: operatorsOf(transport, calls),
	};
}

function meOf(transport: Transport, calls: Calls) {
	const path = (...rest: string[]) => pathOf("me", ...rest);
	return {
		get: (options?: CallOptions) => calls.get<Account>(path(), options),
		/** Sends a code to the new address; confirming it (`sessions.confirm`) makes the change. */
		changeEmail: (email: string, options?: CallOptions) => calls.patch<Login>(path(), { email }, options),
		/** The language of pages and mails, as `de`; null: what the browser asks for. */
		setLocale: (locale: Account["locale"], options?: CallOptions) => calls.patch<Account>(path(), { locale }, options),
		/** What was done to this account, by oneself and by operators. */
		activity: pagesOf<AuditEntry, { since: string | Date }>(transport, path("activity"), { filters: ["since"] }),
		/** All pictures and the account as a file; one is made a day. */
		exports: {
			...pagesOf<Job>(transport, path("exports")),
			/** Needs a fresh session. With `app` only what that App keeps. The job’s `result` says how much there is, and until when. */
			start: ({ app, ...options }: CallOptions & { readonly app?: string | undefined } = {}) =>
				calls.post<Job>(path("export"), app === undefined ? {} : { app }, options),
			/** The ZIP file of a finished export, as it is made. */
			download: (id: string, options?: CallOptions) => calls.stream(path("exports", id, "file"), options),
		},
		/**
		 * What one may still withdraw from is paid back, unless `withdraw` is false.
		 * @throws ApiError `state_conflict` while one owns an App, and for a week after a change of address
		 */
		delete: ({ withdraw, ...options }: CallOptions & { readonly withdraw?: boolean | undefined } = {}) =>
			calls.start<Job>(path(), { ...options, query: { withdraw } }),
		/** Keys in this person's devices that sign in without a code. Adding and removing one needs a fresh session. */
		passkeys: withOldNames(
			{
				...pagesOf<Passkey>(transport, path("passkeys")),
				/** What a browser's `navigator.credentials.create` needs. */
				start: (options?: CallOptions) => calls.post<PasskeyOptions>(path("passkeys", "options"), undefined, options),
				/** @throws ApiError `invalid_code` where the credential does not answer the options */
				create: (
					{ id }: Pick<PasskeyOptions, "id">,
					name: string,
					credential: PasskeyCredential,
					options?: CallOptions,
				) => calls.post<Passkey>(path("passkeys"), { options: id, name, credential }, options),
				delete: (id: string, options?: CallOptions) => calls.remove("passkey", path("passkeys", id), id, options),
			},
			{
				/** @deprecated It is called `create`. */ add: "create",
				/** @deprecated It is called `delete`. */ remove: "delete",
			},
		),
		/** What this person pays for, whatever became of the App. */
		plans: ownPlansOf(transport, calls),
		invoice: (id: string, options?: CallOptions) => calls.get<Invoice>(path("invoices", id), options),
		/** Keys to this person's own storage, outside of every App; only interface 4.2.0 has them. */
		keys: withOldNames(
			{
				...pagesOf<ManagedKey>(transport, path("keys")),
				/** The first one makes the storage. */
				create: ({ expiresAt, ...key }: NewOwnKey, options?: CallOptions) =>
					calls.post<ManagedKey & WithSecret>(path("keys"), { ...key, expires_at: dateText(expiresAt) }, options),
				delete: (id: string, options?: CallOptions) => calls.remove("key", path("keys", id), id, options),
			},
			{ /** @deprecated It is called `delete`. */ revoke: "delete" },
		),
		connections: {
			...pagesOf<Connection>(transport, path("connections")),
			/** Deletes all images that the App keeps for this person. */
			/** What one may still withdraw from is paid back, unless `withdraw` is false. */
			disconnect: (
				appId: string,
				{ withdraw, ...options }: CallOptions & { readonly withdraw?: boolean | undefined } = {},
			) => calls.start<Job>(path("connections", appId), { ...options, query: { withdraw } }),
			/** Keys that read this person's own storage in that App. */
			keys: (appId: string) => {
				const keys = (...rest: string[]) => path("connections", appId, "keys", ...rest);
				return withOldNames(
					{
						...pagesOf<ManagedKey>(transport, keys()),
						create: (name: string, options?: CallOptions) =>
							calls.post<ManagedKey & WithSecret>(keys(), { name }, options),
						delete: (id: string, options?: CallOptions) => calls.remove("key", keys(id), id, options),
					},
					{ /** @deprecated It is called `delete`. */ revoke: "delete" },
				);
			},
		},
	};
}

function sessionsOf(transport: Transport, calls: Calls) {
	const path = (...rest: string[]) => pathOf("sessions", ...rest);
	const verify = <T>({ id, secret }: Pick<Login, "id" | "secret">, code: string, options?: CallOptions) =>
		calls.post<T>(path("login", id, "verify"), { secret, code }, options);
	const own = {
		...pagesOf<Session>(transport, path()),
		/** Sends a code; the answer is the same for every address. */
		login: (email: string, { client, deviceToken }: Device = {}, options?: CallOptions) =>
			calls.post<Login>(path("login"), { email, client, device_token: deviceToken }, options),
		/**
		 * Takes the code of a login.
		 * @throws ApiError `invalid_code`
		 */
		verify: verify<VerifiedSession & WithSecret>,
		/** Sends a code that makes the session in use fresh: operators need that for what cannot be undone. */
		stepUp: (options?: CallOptions) => calls.post<Login>(path("step-up"), undefined, options),
		/**
		 * Takes the code of a step-up or of a new address.
		 * @throws ApiError `invalid_code`
		 */
		confirm: verify<VerifiedSession>,
		/** What a browser's `navigator.credentials.get` needs: to sign in, or to make the session in use fresh. */
		startPasskey: (options?: CallOptions) => calls.post<PasskeyOptions>(path("passkey"), undefined, options),
		/**
		 * Takes what a passkey has signed: a new session with its secret, or the one that asked, fresh.
		 * @throws ApiError `invalid_code`
		 */
		verifyPasskey: (
			{ id }: Pick<PasskeyOptions, "id">,
			credential: PasskeyCredential,
			{ client, deviceToken }: Device = {},
			options?: CallOptions,
		) =>
			calls.post<VerifiedSession & Partial<WithSecret>>(
				path("passkey", "verify"),
				{ options: id, credential, client, device_token: deviceToken },
				options,
			),
		/**
		 * Makes an address that opens the console in a browser, within 60 seconds and once. It needs a fresh session; on the service's own machine what
		 * stands in the file `machine-key` of its data directory is enough. Not in older interfaces.
		 * @throws ApiError `forbidden` for a token, and under `session` for a session that is not fresh
		 */
		openConsole: ({ machineKey, ...options }: ConsoleOptions = {}) =>
			calls.post<ConsoleTicket>("/v1/console_tickets", { machine_key: machineKey }, options),
		/** Ends all sessions but the one in use, and all tokens unless they are kept. */
		endOthers: ({ keepTokens = false }: { readonly keepTokens?: boolean | undefined } = {}, options?: CallOptions) =>
			calls.post<Ended>(path("end-others"), { keep_tokens: keepTokens }, options),
		/** Without an id, ends the session in use. */
		delete: (id = "current", options?: CallOptions) => calls.remove("session", path(id), id, options),
	};
	return withOldNames(own, { /** @deprecated It is called `delete`. */ end: "delete" });
}

function tokensOf(transport: Transport, calls: Calls) {
	return withOldNames(
		{
			...pagesOf<Token>(transport, pathOf("tokens")),
			create: ({ expiresIn, ...token }: NewToken, options?: CallOptions) =>
				calls.post<Token & WithSecret>(pathOf("tokens"), { ...token, expires_in: expiresIn }, options),
			delete: (id: string, options?: CallOptions) => calls.remove("token", pathOf("tokens", id), id, options),
		},
		{ /** @deprecated It is called `delete`. */ revoke: "delete" },
	);
}

export interface AppOptions extends CallOptions {
	readonly include?: "needs" | undefined;
}

function appsOf(transport: Transport, calls: Calls) {
	const path = (...rest: string[]) => pathOf("apps", ...rest);
	return withOldNames(
		{
			...pagesOf<App, { include: "usage" }>(transport, path(), { filters: ["include"] }),
			create: (name: string, options?: PostOptions) => calls.post<App>(path(), { name }, options),
			/** `include`: `needs`, what of it needs somebody. */
			get: (id: string, { include, ...options }: AppOptions = {}) =>
				calls.get<App>(path(id), { ...options, query: { include } }),
			edit: (id: string, changes: AppChanges, options?: CallOptions) => {
				const { signInEnabled, promotionCodes, freeLimits, deliveryReferrers, deliveryLimits, imageHost, ...same } =
					changes;
				const renamed = { sign_in_enabled: signInEnabled, promotion_codes: promotionCodes, free_limits: freeLimits };
				const delivery = {
					...{ delivery_referrers: deliveryReferrers, delivery_limits: deliveryLimits },
					image_host: imageHost,
				};
				return calls.patch<App>(path(id), { ...same, ...renamed, ...delivery }, options);
			},
			/** `confirmName` is the App's name, typed once more. */
			delete: (id: string, confirmName: string, { cancelSubscriptions, ...options }: DeletionOptions = {}) =>
				calls.start<Job>(path(id), {
					...options,
					query: { confirm_name: confirmName, cancel_subscriptions: cancelSubscriptions },
				}),
			/** Suspends App-wide keys and hosted sign-in. */
			pause: (id: string, options?: CallOptions) => calls.assure<App>(path(id, "pause"), options),
			resume: (id: string, options?: CallOptions) => calls.assure<App>(path(id, "resume"), options),
			/** Looks for the record of its image host in the DNS now. */
			verifyImageHost: (id: string, options?: CallOptions) =>
				calls.assure<App>(path(id, "image_host", "verify"), options),
			/** Makes a member, by account id or e-mail address, the Owner. */
			transfer: (id: string, member: string, options?: CallOptions) =>
				calls.post<App>(path(id, "transfer"), { member }, options),
			/** The calls about one App. */
			of: (id: string) => ({
				keys: keysOf(transport, calls, id),
				exports: appExportsOf(calls, id),
				members: membersOf(transport, calls, id),
				invites: invitesOf(transport, calls, id),
				redirectUris: redirectUrisOf(transport, calls, id),
				webhooks: webhooksOf(transport, calls, id),
				presets: presetsOf(transport, calls, id),
				signingKeys: signingKeysOf(transport, calls, id),
				users: usersOf(transport, calls, id),
				plans: plansOf(transport, calls, id),
				subscriptions: subscriptionsOf(transport, calls, id),
				billing: appBillingOf(transport, calls, id),
				usage: usageOf(transport, calls, id),
				images: appImagesOf(calls, id),
				imageJobs: imageJobsOf(calls, id),
				/** Imports and changes of many images, newest first. */
				jobs: appJobsOf(transport, id),
				...contentsOf(transport, calls, id),
			}),
		},
		{ /** @deprecated It is called `edit`. */ update: "edit" },
	);
}

function jobsOf(calls: Calls) {
	const get = (id: string, options?: CallOptions) => calls.get<Job>(pathOf("jobs", id), options);
	return {
		get,
		/** Asks again until the job is done or has failed. */
		async wait(id: string, options: CallOptions & { readonly everyMs?: number | undefined } = {}): Promise<Job> {
			for (;;) {
				const job = await get(id, options);
				if (job.state === "done" || job.state === "failed") return job;
				await wait(options.everyMs ?? POLL_MS, options.signal);
			}
		},
	};
}
