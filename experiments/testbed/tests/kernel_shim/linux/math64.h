/* div_u64 is in net/tcp.h of this folder */
