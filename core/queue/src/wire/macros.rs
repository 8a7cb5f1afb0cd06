//! Closed records and closed sets of words, each described once.

/// The name of a member in JSON: that of the field, unless another is given.
macro_rules! member_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $name:literal) => {
        $name
    };
}

/// A closed record: `NAME, CODE { field ["name in JSON"]: Type, ... }`. Members are written and
/// compared in the canonical order, whatever the order of the fields; faults are reported in the
/// order of the fields. `tag "Kind"` gives the record a member `kind` of that value.
macro_rules! record {
    ($(#[$meta:meta])* $name:ident, $code:ident $(, tag $tag:literal)? {
        $($(#[$doc:meta])* $field:ident $($member:literal)?: $type:ty,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl $crate::wire::Wire for $name {
            fn read(
                value: &plumb_canonical::Value<'_>,
                _: $crate::code::Code,
            ) -> Result<Self, $crate::wire::WireError> {
                let code = $crate::code::Code::$code;
                let known = [
                    $($crate::wire::macros::member_name!($field $($member)?),)*
                    $({ let _ = $tag; "kind" })?
                ];
                let object = $crate::wire::closed(value, code, stringify!($name), &known)?;
                Ok(Self {
                    $($field: {
                        let name = $crate::wire::macros::member_name!($field $($member)?);
                        $crate::wire::Member::read_member(object.get(name), code)
                            .map_err(|error| error.within(name))?
                    },)*
                })
            }

            fn write(&self) -> plumb_canonical::Value<'_> {
                let mut object = plumb_canonical::Object::new();
                $(object.insert("kind", plumb_canonical::Value::from($tag));)?
                $(if let Some(value) = $crate::wire::Member::write_member(&self.$field) {
                    object.insert($crate::wire::macros::member_name!($field $($member)?), value);
                })*
                object.into()
            }
        }
    };
}

/// A closed set of names.
macro_rules! names {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// Every one of them, in the protocol's order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// As the protocol spells it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

/// A closed set of names that stand in the log.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $crate::wire::macros::names! {
            $(#[$meta])* $name { $($(#[$doc])* $variant = $text,)* }
        }

        impl $crate::wire::Wire for $name {
            fn read(
                value: &plumb_canonical::Value<'_>,
                code: $crate::code::Code,
            ) -> Result<Self, $crate::wire::WireError> {
                match value.as_str() {
                    $(Some($text) => Ok(Self::$variant),)*
                    _ => {
                        let words = [$($text),*].join(", ");
                        let expected = format!("one of {words}");
                        Err($crate::wire::WireError::expected(code, expected, value))
                    }
                }
            }

            fn write(&self) -> plumb_canonical::Value<'_> {
                plumb_canonical::Value::from(self.as_str())
            }
        }
    };
}

pub(crate) use {member_name, names, record, words};
