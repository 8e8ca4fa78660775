const pem = (label: string, ...lines: string[]): string =>
  [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join('\n');

/** A self-signed certificate for `localhost`, valid from 2020 to 2120, with its key. It protects nothing: both are for tests. */
export const SELF_SIGNED: { readonly key: string; readonly cert: string } = {
  key: pem(
    'PRIVATE KEY',
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgT8rlKMTX/XswOLbN',
    'I4R9CeJz0FltidzsNP1z4FhkYQihRANCAARL8/mjPzBgC2AIty0Yl+JynPNgsv2D',
    'Cyujggp9DqZfTahDDmxmFRziNK0rtB8WlejlfI/uAgUzM8A9JMAOE64T',
  ),
  cert: pem(
    'CERTIFICATE',
    'MIIBETCBuAIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwIBcN',
    'MjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2Fs',
    'aG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABEvz+aM/MGALYAi3LRiX4nKc',
    '82Cy/YMLK6OCCn0Opl9NqEMObGYVHOI0rSu0HxaV6OV8j+4CBTMzwD0kwA4TrhMw',
    'CgYIKoZIzj0EAwIDSAAwRQIgQoHGuc2S0AfGOHlixYSVF5x8AF1wKkJtP24ImOCq',
    'EQsCIQCKH8O9pMcw8Re+0mTNCBQMplVwf59W+rPeXVopxPbDqg==',
  ),
};
