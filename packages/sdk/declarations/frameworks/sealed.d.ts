export interface Seal {
    /** `purpose` is part of what is sealed: a value opens for the one that it was made for. */
    close(value: unknown, purpose: string): Promise<string>;
    /** Undefined for what nobody with the secret has sealed for this purpose. */
    open(text: string, purpose: string): Promise<unknown>;
}
/** @param place what the key is for, beside the secret: two places with one secret open nothing of each other's */
export declare function sealOf(secret: string, place: string): Seal;
/** 256 random bits. */
export declare function randomText(): string;
