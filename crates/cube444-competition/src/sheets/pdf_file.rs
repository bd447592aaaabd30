//! PDF files: their objects, compressed and encrypted.

use aes::cipher::block_padding::{NoPadding, Pkcs7};
use aes::cipher::{BlockModeEncrypt, KeyIvInit};
use aes::{Aes128, Aes256};
use cbc::Encryptor;
use data_encoding::HEXLOWER;
use miniz_oxide::deflate::compress_to_vec_zlib;
use sha2::{Digest, Sha256, Sha384, Sha512};

/// The number of an object.
pub(super) type Id = usize;

/// The entry of the catalog of an encrypted file: revision 6 is part of PDF 2.0, and an extension of PDF 1.7, which more
/// programs read.
pub(super) const EXTENSIONS: &str = "/Extensions<</ADBE<</BaseVersion/1.7/ExtensionLevel 8>>>>";

/// A PDF file that is being written.
pub(super) struct PdfFile {
    /// Object `n + 1` is at index `n`.
    objects: Vec<Vec<u8>>,
    /// The key that encrypts strings and streams, and the dictionary that describes it.
    encryption: Option<([u8; 32], Id)>,
}

impl PdfFile {
    /// An empty file, encrypted with AES-256 if there is a passcode.
    ///
    /// # Panics
    ///
    /// If the passcode is not printable ASCII.
    pub(super) fn new(passcode: Option<&str>) -> PdfFile {
        let mut file = PdfFile {
            objects: Vec::new(),
            encryption: None,
        };
        if let Some(passcode) = passcode {
            let key = rand::random();
            let dictionary = encryption_dictionary(passcode, &key);
            file.encryption = Some((key, file.add(dictionary)));
        }
        file
    }

    /// Adds an object.
    pub(super) fn add(&mut self, object: impl Into<Vec<u8>>) -> Id {
        self.objects.push(object.into());
        self.objects.len()
    }

    /// Replaces an object.
    pub(super) fn set(&mut self, id: Id, object: String) {
        self.objects[id - 1] = object.into();
    }

    /// Adds a compressed stream, whose dictionary also has these entries.
    pub(super) fn add_stream(&mut self, entries: &str, content: impl AsRef<[u8]>) -> Id {
        let content = self.encrypted(compress_to_vec_zlib(content.as_ref(), 9));
        let length = content.len();
        let start = format!("<<{entries}/Filter/FlateDecode/Length {length}>>stream\n");
        self.add([start.as_bytes(), &content, b"\nendstream"].concat())
    }

    /// A string object.
    pub(super) fn text(&self, text: &str) -> String {
        hex(&self.encrypted(utf_16(text)))
    }

    fn encrypted(&self, plain: Vec<u8>) -> Vec<u8> {
        let Some((key, _)) = &self.encryption else {
            return plain;
        };
        let start = rand::random();
        let encrypted = aes_256(key, &start).encrypt_padded_vec::<Pkcs7>(&plain);
        [&start[..], &encrypted].concat()
    }

    /// The bytes of the file.
    pub(super) fn finish(self, catalog: Id, info: Id) -> Vec<u8> {
        // Bytes above 127 in a comment mark the file as binary.
        let mut file = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
        let size = self.objects.len() + 1;
        let mut end = format!("xref\n0 {size}\n0000000000 65535 f \n");
        for (id, object) in (1..).zip(&self.objects) {
            end += &format!("{:010} 00000 n \n", file.len());
            file.extend(format!("{id} 0 obj\n").as_bytes());
            file.extend(object);
            file.extend(b"\nendobj\n");
        }
        end += &format!("trailer\n<</Size {size}/Root {catalog} 0 R/Info {info} 0 R");
        if let Some((_, dictionary)) = self.encryption {
            end += &format!("/Encrypt {dictionary} 0 R");
        }
        // Equal sheets are equal files, unless they are encrypted.
        let id = hex(&Sha256::digest(&file)[..16]);
        end += &format!("/ID[{id}{id}]>>\nstartxref\n{}\n%%EOF\n", file.len());
        file.extend(end.as_bytes());
        file
    }
}

/// The bytes of a string object with any text.
fn utf_16(text: &str) -> Vec<u8> {
    let units = [0xfeff].into_iter().chain(text.encode_utf16());
    units.flat_map(u16::to_be_bytes).collect()
}

/// A string object that is not encrypted, for the content of a page, which is encrypted as a whole.
pub(super) fn plain_text(text: &str) -> String {
    hex(&utf_16(text))
}

fn hex(bytes: &[u8]) -> String {
    format!("<{}>", HEXLOWER.encode(bytes))
}

fn aes_256(key: &[u8; 32], start: &[u8; 16]) -> Encryptor<Aes256> {
    Encryptor::new(key.into(), start.into())
}

/// The dictionary of the standard security handler, revision 6, which allows the owner of the passcode everything
/// (ISO 32000-2, 7.6.4.4).
fn encryption_dictionary(passcode: &str, key: &[u8; 32]) -> String {
    let is_printable = passcode.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    assert!(is_printable, "a passcode is printable ASCII");
    let wrapped = |by: &[u8; 32], what: &[u8]| {
        let blocks = aes_256(by, &[0; 16]).encrypt_padded_vec::<NoPadding>(what);
        hex(&blocks)
    };
    // A hash that validates the passcode, and the key, encrypted by another hash.
    let entries = |user: &[u8]| {
        let salts: [u8; 16] = rand::random();
        let [validation, by] =
            [&salts[..8], &salts[8..]].map(|salt| passcode_hash(passcode, salt, user));
        ([&validation[..], &salts].concat(), wrapped(&by, key))
    };
    let (user, user_key) = entries(&[]);
    let (owner, owner_key) = entries(&user);
    // -4, extended to 64 bits.
    let permissions: [&[u8]; 4] = [&[0xfc], &[0xff; 7], b"Tadb", &rand::random::<[u8; 4]>()];
    let permissions = wrapped(key, &permissions.concat());
    let (user, owner) = (hex(&user), hex(&owner));
    format!(
        "<</Filter/Standard/V 5/R 6/Length 256/P -4\
         /CF<</StdCF<</CFM/AESV3/AuthEvent/DocOpen/Length 32>>>>/StmF/StdCF/StrF/StdCF\
         /U{user}/UE{user_key}/O{owner}/OE{owner_key}/Perms{permissions}>>"
    )
}

/// Algorithm 2.B of ISO 32000-2. `user` is empty, or the entry U.
fn passcode_hash(passcode: &str, salt: &[u8], user: &[u8]) -> [u8; 32] {
    let passcode = passcode.as_bytes();
    let mut hash = Sha256::digest([passcode, salt, user].concat()).to_vec();
    for round in 1_u32.. {
        let (key, start) = (hash.first_chunk::<16>(), hash[16..].first_chunk::<16>());
        let [key, start] = [key, start].map(|it| it.expect("hashes have at least 32 bytes"));
        let aes = Encryptor::<Aes128>::new(key.into(), start.into());
        let input = [passcode, &hash, user].concat().repeat(64);
        let output = aes.encrypt_padded_vec::<NoPadding>(&input);
        let sum: u32 = output[..16].iter().copied().map(u32::from).sum();
        hash = match sum % 3 {
            0 => Sha256::digest(&output).to_vec(),
            1 => Sha384::digest(&output).to_vec(),
            _ => Sha512::digest(&output).to_vec(),
        };
        let last = output.last().copied().map_or(0, u32::from);
        if round >= 64 && last + 32 <= round {
            break;
        }
    }
    *hash.first_chunk().expect("hashes have at least 32 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed by hashlib and pycryptodome of Python. The last bytes of the first two end the rounds by equality.
    #[test]
    fn passcodes_have_the_hashes_of_the_standard() {
        let user: Vec<u8> = (0..48).collect();
        for (salt, user, expected) in [
            (
                21,
                &[][..],
                "8e44bcbed4f3808e3acbc0f11b211066e664aee9a69b7b1a1276d5c4ce49e781",
            ),
            (
                17,
                &user,
                "1c10963dfea8b5fc0f8f2958f47ba0e7f4ae31236ef662fa70ed222cc5b0a3a0",
            ),
            (
                0,
                &[],
                "a6e33d771cb7535076945573ef70180af9afd19cfbef9ed4ce9d55308c6cc2a2",
            ),
        ] {
            let salt = u64::to_be_bytes(salt);
            let hash = passcode_hash("k7mq2p9xab", &salt, user);
            assert_eq!(HEXLOWER.encode(&hash), expected);
        }
    }
}
