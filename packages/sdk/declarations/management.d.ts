import type { Account, App, AppProfile, AppTax, AuditEntry, BlockReason, Connection, ConsoleTicket, DeliveryLimits, DeliveryPolicy, Ended, Invoice, Job, Login, ManagedKey, Member, Passkey, PasskeyOptions, Permission, Scope, Session, TakenReport, Token, UserLimits, VerifiedSession } from "./shapes.js";
import type { Open, WithSecret } from "./types.js";
import type { CallOptions, ClientOptions, PostOptions } from "./wire/request.js";
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
export type Management = ReturnType<typeof createManagement>;
/**
 * The management API: for people who run Apps or the service, with a session (`svc_ses_…`) or token (`svc_pat_…`) as `apiKey`.
 * Null, when no person is signed in, is enough for `sessions.login`, `sessions.verify`, `report` and `operator.bootstrap`. Calls
 * reject as those of the client for images do.
 */
export declare function createManagement(options: ClientOptions): {
    me: {
        get: (options?: CallOptions) => Promise<Account>;
        /** Sends a code to the new address; confirming it (`sessions.confirm`) makes the change. */
        changeEmail: (email: string, options?: CallOptions) => Promise<Login>;
        /** The language of pages and mails, as `de`; null: what the browser asks for. */
        setLocale: (locale: Account["locale"], options?: CallOptions) => Promise<Account>;
        /** What was done to this account, by oneself and by operators. */
        activity: import("./wire/calls.js").Pages<AuditEntry, {
            since: string | Date;
        }, import("./types.js").List<AuditEntry>>;
        /** All pictures and the account as a file; one is made a day. */
        exports: {
            list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<Job>>;
            all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<Job, void, undefined>;
            /** Needs a fresh session. With `app` only what that App keeps. The job’s `result` says how much there is, and until when. */
            start: ({ app, ...options }?: CallOptions & {
                readonly app?: string | undefined;
            }) => Promise<Job>;
            /** The ZIP file of a finished export, as it is made. */
            download: (id: string, options?: CallOptions) => Promise<ReadableStream<Uint8Array<ArrayBufferLike>>>;
        };
        /**
         * What one may still withdraw from is paid back, unless `withdraw` is false.
         * @throws ApiError `state_conflict` while one owns an App, and for a week after a change of address
         */
        delete: ({ withdraw, ...options }?: CallOptions & {
            readonly withdraw?: boolean | undefined;
        }) => Promise<Job>;
        /** Keys in this person's devices that sign in without a code. Adding and removing one needs a fresh session. */
        passkeys: {
            list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<Passkey>>;
            all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<Passkey, void, undefined>;
            /** What a browser's `navigator.credentials.create` needs. */
            start: (options?: CallOptions) => Promise<PasskeyOptions>;
            /** @throws ApiError `invalid_code` where the credential does not answer the options */
            create: ({ id }: Pick<PasskeyOptions, "id">, name: string, credential: PasskeyCredential, options?: CallOptions) => Promise<Passkey>;
            delete: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
        } & {
            readonly add: ({ id }: Pick<PasskeyOptions, "id">, name: string, credential: PasskeyCredential, options?: CallOptions) => Promise<Passkey>;
            readonly remove: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
        };
        /** What this person pays for, whatever became of the App. */
        plans: {
            list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<import("./shapes.js").OwnPlan>>;
            all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<import("./shapes.js").OwnPlan, void, undefined>;
            get: (id: string, options?: CallOptions) => Promise<import("./shapes.js").OwnPlan>;
            cancel: (id: string, options?: CallOptions) => Promise<import("./shapes.js").OwnPlan>;
            resume: (id: string, options?: CallOptions) => Promise<import("./shapes.js").OwnPlan>;
            withdraw: (id: string, options?: CallOptions) => Promise<import("./shapes.js").OwnPlan>;
            preview: (id: string, priceId: string, options?: CallOptions) => Promise<import("./shapes.js").ChangePreview>;
            invoices: (id: string) => import("./wire/calls.js").Pages<Invoice, {}, import("./types.js").List<Invoice>>;
        };
        invoice: (id: string, options?: CallOptions) => Promise<Invoice>;
        /** Keys to this person's own storage, outside of every App; only interface 4.2.0 has them. */
        keys: {
            list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<ManagedKey>>;
            all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<ManagedKey, void, undefined>;
            /** The first one makes the storage. */
            create: ({ expiresAt, ...key }: NewOwnKey, options?: CallOptions) => Promise<ManagedKey & WithSecret>;
            delete: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
        } & {
            readonly revoke: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
        };
        connections: {
            list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<Connection>>;
            all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<Connection, void, undefined>;
            /** Deletes all images that the App keeps for this person. */
            /** What one may still withdraw from is paid back, unless `withdraw` is false. */
            disconnect: (appId: string, { withdraw, ...options }?: CallOptions & {
                readonly withdraw?: boolean | undefined;
            }) => Promise<Job>;
            /** Keys that read this person's own storage in that App. */
            keys: (appId: string) => {
                list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<ManagedKey>>;
                all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<ManagedKey, void, undefined>;
                create: (name: string, options?: CallOptions) => Promise<ManagedKey & WithSecret>;
                delete: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
            } & {
                readonly revoke: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
            };
        };
    };
    sessions: {
        list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<Session>>;
        all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<Session, void, undefined>;
        /** Sends a code; the answer is the same for every address. */
        login: (email: string, { client, deviceToken }?: Device, options?: CallOptions) => Promise<Login>;
        /**
         * Takes the code of a login.
         * @throws ApiError `invalid_code`
         */
        verify: ({ id, secret }: Pick<Login, "id" | "secret">, code: string, options?: CallOptions) => Promise<VerifiedSession & WithSecret>;
        /** Sends a code that makes the session in use fresh: operators need that for what cannot be undone. */
        stepUp: (options?: CallOptions) => Promise<Login>;
        /**
         * Takes the code of a step-up or of a new address.
         * @throws ApiError `invalid_code`
         */
        confirm: ({ id, secret }: Pick<Login, "id" | "secret">, code: string, options?: CallOptions) => Promise<VerifiedSession>;
        /** What a browser's `navigator.credentials.get` needs: to sign in, or to make the session in use fresh. */
        startPasskey: (options?: CallOptions) => Promise<PasskeyOptions>;
        /**
         * Takes what a passkey has signed: a new session with its secret, or the one that asked, fresh.
         * @throws ApiError `invalid_code`
         */
        verifyPasskey: ({ id }: Pick<PasskeyOptions, "id">, credential: PasskeyCredential, { client, deviceToken }?: Device, options?: CallOptions) => Promise<VerifiedSession & Partial<WithSecret>>;
        /**
         * Makes an address that opens the console in a browser, within 60 seconds and once. It needs a fresh session; on the service's own machine what
         * stands in the file `machine-key` of its data directory is enough. Not in older interfaces.
         * @throws ApiError `forbidden` for a token, and under `session` for a session that is not fresh
         */
        openConsole: ({ machineKey, ...options }?: ConsoleOptions) => Promise<ConsoleTicket>;
        /** Ends all sessions but the one in use, and all tokens unless they are kept. */
        endOthers: ({ keepTokens }?: {
            readonly keepTokens?: boolean | undefined;
        }, options?: CallOptions) => Promise<Ended>;
        /** Without an id, ends the session in use. */
        delete: (id?: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
    } & {
        readonly end: (id?: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
    };
    tokens: {
        list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<Token>>;
        all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<Token, void, undefined>;
        create: ({ expiresIn, ...token }: NewToken, options?: CallOptions) => Promise<Token & WithSecret>;
        delete: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
    } & {
        readonly revoke: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
    };
    apps: {
        list(options?: (import("./wire/calls.js").PageOptions & Partial<{
            include: "usage";
        }>) | undefined): Promise<import("./types.js").List<App>>;
        all(options?: (import("./wire/calls.js").PageOptions & Partial<{
            include: "usage";
        }>) | undefined): AsyncGenerator<App, void, undefined>;
        create: (name: string, options?: PostOptions) => Promise<App>;
        /** `include`: `needs`, what of it needs somebody. */
        get: (id: string, { include, ...options }?: AppOptions) => Promise<App>;
        edit: (id: string, changes: AppChanges, options?: CallOptions) => Promise<App>;
        /** `confirmName` is the App's name, typed once more. */
        delete: (id: string, confirmName: string, { cancelSubscriptions, ...options }?: DeletionOptions) => Promise<Job>;
        /** Suspends App-wide keys and hosted sign-in. */
        pause: (id: string, options?: CallOptions) => Promise<App>;
        resume: (id: string, options?: CallOptions) => Promise<App>;
        /** Looks for the record of its image host in the DNS now. */
        verifyImageHost: (id: string, options?: CallOptions) => Promise<App>;
        /** Makes a member, by account id or e-mail address, the Owner. */
        transfer: (id: string, member: string, options?: CallOptions) => Promise<App>;
        /** The calls about one App. */
        of: (id: string) => {
            labels: (prefix?: string, { limit, ...options }?: import("./calls/image-lists.js").LabelOptions) => Promise<import("./shapes.js").Labels>;
            audit: import("./wire/calls.js").Pages<AuditEntry, {
                actor: string;
                event: string;
                since: Date | string;
            }, import("./types.js").List<AuditEntry>>;
            moderation: import("./wire/calls.js").Pages<import("./shapes.js").ModerationAction, {}, import("./types.js").List<import("./shapes.js").ModerationAction>>;
            keys: {
                list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<ManagedKey>>;
                all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<ManagedKey, void, undefined>;
                get: (id: string, options?: CallOptions) => Promise<ManagedKey>;
                create: ({ expiresAt, ...key }: import("./calls/app-team.js").NewKey, options?: PostOptions) => Promise<ManagedKey & WithSecret>;
                edit: (id: string, { name, expiresAt }: import("./calls/app-team.js").KeyChanges, options?: CallOptions) => Promise<ManagedKey>;
                rotate: (id: string, oldExpiresIn?: string | number, options?: CallOptions) => Promise<ManagedKey & WithSecret>;
                delete: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
            } & {
                readonly update: (id: string, { name, expiresAt }: import("./calls/app-team.js").KeyChanges, options?: CallOptions) => Promise<ManagedKey>;
                readonly revoke: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
            };
            exports: {
                start: (options?: PostOptions) => Promise<Job>;
                rehearse: (options?: PostOptions) => Promise<import("./shapes.js").MovePlan>;
                records: (id: string, { after, ...options }?: import("./calls/moves.js").ExportPageOptions) => Promise<import("./shapes.js").MoveRecords>;
                master: (id: string, image: string, options?: CallOptions) => Promise<ReadableStream<Uint8Array<ArrayBufferLike>>>;
            };
            members: {
                list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<Member>>;
                all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<Member, void, undefined>;
                changeRole: (id: string, role: import("./shapes.js").GrantedRole, revokeKeys?: boolean, options?: CallOptions) => Promise<Member>;
                delete: (id: string, revokeKeys?: boolean, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
            } & {
                readonly remove: (id: string, revokeKeys?: boolean, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
            };
            invites: {
                list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<import("./shapes.js").Invite>>;
                all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<import("./shapes.js").Invite, void, undefined>;
                create: (email: string, role: import("./shapes.js").GrantedRole, options?: PostOptions) => Promise<import("./shapes.js").Invite & {
                    readonly token: string;
                }>;
                delete: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
            } & {
                readonly withdraw: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
            };
            redirectUris: {
                list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<import("./shapes.js").RedirectUri>>;
                all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<import("./shapes.js").RedirectUri, void, undefined>;
                create: (uri: string, options?: CallOptions) => Promise<import("./shapes.js").RedirectUri>;
                delete: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
            } & {
                readonly add: (uri: string, options?: CallOptions) => Promise<import("./shapes.js").RedirectUri>;
                readonly remove: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
            };
            webhooks: {
                list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<import("./shapes.js").WebhookEndpoint>>;
                all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<import("./shapes.js").WebhookEndpoint, void, undefined>;
                get: (id: string, options?: CallOptions) => Promise<import("./shapes.js").WebhookEndpoint>;
                create: (endpoint: import("./calls/webhooks.js").NewWebhookEndpoint, options?: PostOptions) => Promise<import("./shapes.js").WebhookEndpoint & WithSecret>;
                edit: (id: string, changes: import("./calls/webhooks.js").WebhookEndpointChanges, options?: CallOptions) => Promise<import("./shapes.js").WebhookEndpoint>;
                delete: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
                rotate: (id: string, oldExpiresIn?: string | number, options?: PostOptions) => Promise<import("./shapes.js").WebhookEndpoint & WithSecret>;
                test: (id: string, options?: PostOptions) => Promise<import("./shapes.js").WebhookDelivery>;
                recover: (id: string, since: Date | string, options?: PostOptions) => Promise<Job>;
                deliveries: (id: string) => {
                    list(options?: (import("./wire/calls.js").PageOptions & Partial<{
                        state: Open<import("./shapes.js").WebhookDeliveryState>;
                        event_id: string;
                        types: string;
                    }>) | undefined): Promise<import("./types.js").List<import("./shapes.js").WebhookDelivery>>;
                    all(options?: (import("./wire/calls.js").PageOptions & Partial<{
                        state: Open<import("./shapes.js").WebhookDeliveryState>;
                        event_id: string;
                        types: string;
                    }>) | undefined): AsyncGenerator<import("./shapes.js").WebhookDelivery, void, undefined>;
                    get: (delivery: string, { include, ...options }?: import("./calls/webhooks.js").DeliveryOptions) => Promise<import("./shapes.js").WebhookDelivery>;
                    redeliver: (delivery: string, options?: PostOptions) => Promise<import("./shapes.js").WebhookDelivery>;
                };
            } & {
                readonly update: (id: string, changes: import("./calls/webhooks.js").WebhookEndpointChanges, options?: CallOptions) => Promise<import("./shapes.js").WebhookEndpoint>;
                readonly remove: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
            };
            presets: {
                list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<import("./shapes.js").Preset>>;
                all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<import("./shapes.js").Preset, void, undefined>;
                create: (name: string, parameters: import("./calls/delivery.js").PresetParameters, options?: PostOptions) => Promise<import("./shapes.js").Preset>;
                edit: (id: string, changes: import("./calls/delivery.js").PresetChanges, options?: CallOptions) => Promise<import("./shapes.js").Preset>;
                delete: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
            } & {
                readonly update: (id: string, changes: import("./calls/delivery.js").PresetChanges, options?: CallOptions) => Promise<import("./shapes.js").Preset>;
            };
            signingKeys: {
                list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<import("./shapes.js").SigningKey>>;
                all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<import("./shapes.js").SigningKey, void, undefined>;
                create: (name: string, options?: PostOptions) => Promise<import("./shapes.js").SigningKey & WithSecret>;
                delete: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
            };
            users: {
                list(options?: (import("./wire/calls.js").PageOptions & Partial<{
                    email: string;
                }>) | undefined): Promise<import("./types.js").List<import("./shapes.js").ConnectedUser>>;
                all(options?: (import("./wire/calls.js").PageOptions & Partial<{
                    email: string;
                }>) | undefined): AsyncGenerator<import("./shapes.js").ConnectedUser, void, undefined>;
                get: (id: string, options?: CallOptions) => Promise<import("./shapes.js").ConnectedUser>;
                grant: (id: string, { planKey, until, reason }: import("./calls/app-team.js").NewGrant, options?: CallOptions) => Promise<import("./shapes.js").Grant>;
                ungrant: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Grant>;
                disconnect: (id: string, options?: CallOptions) => Promise<Job>;
            };
            plans: {
                list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<import("./shapes.js").ManagedPlan>>;
                all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<import("./shapes.js").ManagedPlan, void, undefined>;
                create: ({ displayOrder, ...plan }: import("./calls/billing.js").NewPlan, options?: PostOptions) => Promise<import("./shapes.js").ManagedPlan>;
                edit: (id: string, { displayOrder, ...changes }: import("./calls/billing.js").PlanDescription, options?: CallOptions) => Promise<import("./shapes.js").ManagedPlan>;
                archive: (id: string, options?: CallOptions) => Promise<import("./shapes.js").ManagedPlan>;
                createPrice: (id: string, { trialDays, ...terms }: import("./calls/billing.js").NewPrice, options?: PostOptions) => Promise<import("./shapes.js").ManagedPrice>;
                setOnSale: (id: string, priceId: string, onSale: boolean, options?: CallOptions) => Promise<import("./shapes.js").ManagedPrice>;
            } & {
                readonly update: (id: string, { displayOrder, ...changes }: import("./calls/billing.js").PlanDescription, options?: CallOptions) => Promise<import("./shapes.js").ManagedPlan>;
                readonly addPrice: (id: string, { trialDays, ...terms }: import("./calls/billing.js").NewPrice, options?: PostOptions) => Promise<import("./shapes.js").ManagedPrice>;
            };
            subscriptions: {
                list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<import("./shapes.js").ManagedSubscription>>;
                all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<import("./shapes.js").ManagedSubscription, void, undefined>;
                get: (id: string, options?: CallOptions) => Promise<import("./shapes.js").ManagedSubscription>;
                refund: (id: string, { invoice, amount, reason }: import("./calls/billing.js").Refund, options?: PostOptions) => Promise<Invoice>;
            };
            billing: {
                get: (options?: CallOptions) => Promise<import("./shapes.js").AppBilling>;
                checkout: (plan: Open<import("./shapes.js").OwnPlanKey>, { interval, at, ...options }?: CallOptions & import("./calls/billing.js").AppCheckoutOptions) => Promise<import("./shapes.js").AppCheckout>;
                preview: (plan: Open<import("./shapes.js").OwnPlanKey>, { interval, ...options }?: CallOptions & Pick<import("./calls/billing.js").AppCheckoutOptions, "interval">) => Promise<import("./shapes.js").AppPlanChange>;
                cancel: (options?: CallOptions) => Promise<import("./shapes.js").AppBilling>;
                resume: (options?: CallOptions) => Promise<import("./shapes.js").AppBilling>;
                changePaymentMethod: (options?: CallOptions) => Promise<import("./shapes.js").PaymentMethodPage>;
                invoices: import("./wire/calls.js").Pages<Invoice, {}, import("./types.js").List<Invoice>>;
            };
            usage: {
                total: (options?: CallOptions) => Promise<import("./shapes.js").Usage>;
                byUser: import("./wire/calls.js").Pages<import("./shapes.js").UserUsage, {}, import("./types.js").List<import("./shapes.js").UserUsage>>;
                byMonth: import("./wire/calls.js").Pages<import("./shapes.js").MonthUsage, {}, import("./types.js").List<import("./shapes.js").MonthUsage>>;
            };
            images: {
                list: (options?: import("./calls/app-images.js").AppListOptions) => Promise<import("./calls/app-images.js").Totalled<import("./shapes.js").AppImage>>;
                all: (options?: import("./calls/app-images.js").AppListOptions) => AsyncGenerator<import("./shapes.js").AppImage, void, undefined>;
                get: (id: string, { user, include, ...options }?: import("./client.js").IncludeOptions) => Promise<import("./shapes.js").AppImage>;
                zip: (filter?: Omit<import("./calls/app-images.js").ImageFilter, "state">, options?: CallOptions) => Promise<ReadableStream<Uint8Array<ArrayBufferLike>>>;
                deleted: {
                    list: (options?: import("./calls/image-lists.js").ListOptions) => Promise<import("./calls/app-images.js").Totalled<import("./shapes.js").DeletedImage>>;
                    all: (options?: import("./calls/image-lists.js").ListOptions) => AsyncGenerator<import("./shapes.js").DeletedImage, void, undefined>;
                };
            };
            imageJobs: {
                create: (filter: import("./calls/app-images.js").ImageFilter, { move, ...act }: import("./calls/app-images.js").ImageAct, options?: PostOptions) => Promise<Job>;
                cancel: (id: string, options?: CallOptions) => Promise<Job>;
            };
            /** Imports and changes of many images, newest first. */
            jobs: import("./wire/calls.js").Pages<Job, {
                state: Job["state"];
            }, import("./types.js").List<Job>>;
        };
    } & {
        readonly update: (id: string, changes: AppChanges, options?: CallOptions) => Promise<App>;
    };
    /** `token` is in the mailed link. */
    acceptInvite: (id: string, token: string, call?: CallOptions) => Promise<Member>;
    jobs: {
        get: (id: string, options?: CallOptions) => Promise<Job>;
        /** Asks again until the job is done or has failed. */
        wait(id: string, options?: CallOptions & {
            readonly everyMs?: number | undefined;
        }): Promise<Job>;
    };
    /** Tells the operators about an image. */
    report: (report: NewReport, call?: CallOptions) => Promise<TakenReport>;
    moderation: {
        list(options?: (import("./wire/calls.js").PageOptions & Partial<{
            state: Open<"reported" | "locked" | "blocked" | "nsfw" | "all">;
            app: string;
            similar_to: string;
        }>) | undefined): Promise<import("./types.js").List<import("./shapes.js").ModerationItem>>;
        all(options?: (import("./wire/calls.js").PageOptions & Partial<{
            state: Open<"reported" | "locked" | "blocked" | "nsfw" | "all">;
            app: string;
            similar_to: string;
        }>) | undefined): AsyncGenerator<import("./shapes.js").ModerationItem, void, undefined>;
        get: (id: string, options?: CallOptions) => Promise<import("./shapes.js").ModerationItem>;
        preview: (id: string, { width, height, format, ...options }?: import("./calls/moderation.js").PreviewOptions) => Promise<Blob>;
        lock: (id: string, verdict?: import("./calls/moderation.js").RevisedVerdict, options?: CallOptions) => Promise<import("./shapes.js").ModerationItem>;
        unlock: (id: string, verdict?: import("./calls/moderation.js").Release, options?: CallOptions) => Promise<import("./shapes.js").ModerationItem>;
        block: (id: string, verdict: import("./calls/moderation.js").RevisedVerdict & import("./calls/moderation.js").WithReason, options?: CallOptions) => Promise<import("./shapes.js").ModerationItem>;
        unblock: (id: string, verdict?: import("./calls/moderation.js").Release, options?: CallOptions) => Promise<import("./shapes.js").ModerationItem>;
        setNsfw: (id: string, nsfw: boolean, verdict?: Omit<import("./calls/moderation.js").RevisedVerdict, "reason">, options?: CallOptions) => Promise<import("./shapes.js").ModerationItem>;
        delete: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
        batch: (ids: readonly string[], action: import("./shapes.js").ModerationVerb, verdict?: Omit<import("./calls/moderation.js").Release, "revision">, options?: PostOptions) => Promise<import("./types.js").BatchResult<import("./shapes.js").ModerationItem | import("./shapes.js").Tombstone>>;
        reports: {
            list(options?: (import("./wire/calls.js").PageOptions & Partial<{
                state: Open<"open" | "resolved">;
            }>) | undefined): Promise<import("./types.js").List<import("./shapes.js").Report>>;
            all(options?: (import("./wire/calls.js").PageOptions & Partial<{
                state: Open<"open" | "resolved">;
            }>) | undefined): AsyncGenerator<import("./shapes.js").Report, void, undefined>;
            resolve: (id: string, outcome: "dismissed" | "actioned", options?: CallOptions) => Promise<import("./shapes.js").Report>;
        };
    };
    operator: {
        bootstrap: (secret: string, email: string, options?: CallOptions) => Promise<import("./shapes.js").FirstToken>;
        operators: {
            list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<Account>>;
            all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<Account, void, undefined>;
            create: (email: string, options?: PostOptions) => Promise<Account>;
            delete: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
        } & {
            readonly add: (email: string, options?: PostOptions) => Promise<Account>;
            readonly remove: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
        };
        apps: {
            list(options?: (import("./wire/calls.js").PageOptions & Partial<{
                q: string;
                state: App["state"];
            }>) | undefined): Promise<import("./types.js").List<import("./shapes.js").OperatedApp>>;
            all(options?: (import("./wire/calls.js").PageOptions & Partial<{
                q: string;
                state: App["state"];
            }>) | undefined): AsyncGenerator<import("./shapes.js").OperatedApp, void, undefined>;
            get: (id: string, options?: CallOptions) => Promise<import("./shapes.js").OperatedApp>;
            edit: (id: string, { plan, sellingEnabled, limits }: import("./calls/operators.js").AppTerms, options?: CallOptions) => Promise<import("./shapes.js").OperatedApp>;
            block: (id: string, reason: Open<BlockReason>, note?: string, options?: CallOptions) => Promise<import("./shapes.js").OperatedApp>;
            unblock: (id: string, note?: string, options?: CallOptions) => Promise<import("./shapes.js").OperatedApp>;
        } & {
            readonly update: (id: string, { plan, sellingEnabled, limits }: import("./calls/operators.js").AppTerms, options?: CallOptions) => Promise<import("./shapes.js").OperatedApp>;
        };
        appImports: {
            open: (file: import("./calls/moves.js").NewAppImport, options?: CallOptions) => Promise<import("./shapes.js").AppImport>;
            get: (id: string, options?: CallOptions) => Promise<import("./shapes.js").AppImport>;
            addRecords: (id: string, records: readonly object[], options?: CallOptions) => Promise<import("./shapes.js").MissingMasters>;
            addMaster: (id: string, sha256: string, bytes: Blob, options?: CallOptions) => Promise<import("./shapes.js").TakenMaster>;
            finish: (id: string, options?: CallOptions) => Promise<import("./shapes.js").AppImport>;
            delete: (id: string, options?: CallOptions) => Promise<import("./shapes.js").Tombstone>;
        };
        accounts: {
            list(options?: (import("./wire/calls.js").PageOptions & Partial<{
                q: string;
                status: Account["status"];
            }>) | undefined): Promise<import("./types.js").List<Account>>;
            all(options?: (import("./wire/calls.js").PageOptions & Partial<{
                q: string;
                status: Account["status"];
            }>) | undefined): AsyncGenerator<Account, void, undefined>;
            disable: (id: string, options?: CallOptions) => Promise<Account>;
            enable: (id: string, options?: CallOptions) => Promise<Account>;
        };
        jobs: {
            list(options?: (import("./wire/calls.js").PageOptions & Partial<{
                state: Job["state"];
                kind: Job["kind"];
            }>) | undefined): Promise<import("./types.js").List<Job>>;
            all(options?: (import("./wire/calls.js").PageOptions & Partial<{
                state: Job["state"];
                kind: Job["kind"];
            }>) | undefined): AsyncGenerator<Job, void, undefined>;
            retry: (id: string, options?: PostOptions) => Promise<Job>;
        };
        emails: import("./wire/calls.js").Pages<import("./shapes.js").Email, Pick<import("./shapes.js").Email, "recipient" | "state" | "template">, import("./types.js").List<import("./shapes.js").Email>>;
        audit: import("./wire/calls.js").Pages<AuditEntry, {
            actor: string;
            event: string;
            since: Date | string;
            app: string;
        }, import("./types.js").List<AuditEntry>>;
        usage: (options?: CallOptions) => Promise<import("./shapes.js").ServiceUsage>;
        logs: ({ after, level, limit, ...options }?: import("./calls/operators.js").LogOptions) => Promise<import("./calls/operators.js").LogPage>;
        health: (options?: CallOptions) => Promise<import("./shapes.js").ServiceHealth>;
        reconcile: ({ scrub, repair, ...options }?: import("./calls/operators.js").ReconcileOptions) => Promise<Job>;
        backups: {
            create: (options?: PostOptions) => Promise<Job>;
        };
        trash: {
            list(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("./types.js").List<import("./shapes.js").TrashedBlob>>;
            all(options?: (import("./wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<import("./shapes.js").TrashedBlob, void, undefined>;
            restore: (blobs: readonly string[], options?: PostOptions) => Promise<import("./shapes.js").TrashRestore>;
            collect: ({ move, ...options }?: import("./calls/operators.js").CollectOptions) => Promise<Job>;
        };
        subscriptions: {
            list(options?: (import("./wire/calls.js").PageOptions & Partial<{
                app: string;
                state: "live" | "ended";
                email: string;
            }>) | undefined): Promise<import("./types.js").List<import("./shapes.js").ManagedSubscription>>;
            all(options?: (import("./wire/calls.js").PageOptions & Partial<{
                app: string;
                state: "live" | "ended";
                email: string;
            }>) | undefined): AsyncGenerator<import("./shapes.js").ManagedSubscription, void, undefined>;
            cancel: (id: string, at: "now" | "period_end", reason: string, options?: CallOptions) => Promise<import("./shapes.js").ManagedSubscription>;
            extend: (id: string, days: number, reason: string, options?: CallOptions) => Promise<import("./shapes.js").ManagedSubscription>;
            refund: (id: string, { invoice, amount, reason }: import("./calls/billing.js").Refund, options?: CallOptions) => Promise<Invoice>;
        };
        simulation: {
            clock: (options?: CallOptions) => Promise<import("./shapes.js").Clock>;
            advanceClock: (to: Date | string, options?: CallOptions) => Promise<import("./shapes.js").Clock>;
            decide: (subscription: string, outcome: import("./shapes.js").SimulatedOutcome, options?: PostOptions) => Promise<import("./shapes.js").Simulation>;
        };
    };
};
export interface AppOptions extends CallOptions {
    readonly include?: "needs" | undefined;
}
