//! The kernels for x86-64.

pub mod avx2 {
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "avx2")]
    fn dot(total: __m256i, one: __m256i, other: __m256i) -> __m256i {
        _mm256_add_epi32(total, _mm256_madd_epi16(one, other))
    }

    super::super::kernels::kernels!(
        #[target_feature(enable = "avx2")]
        __m256i, __m256i, tiles: 4 2 1,
        _mm256_set1_epi16, _mm256_add_epi16, _mm256_sub_epi16, _mm256_min_epi16,
        _mm256_max_epi16, _mm256_mullo_epi16, dot
    );
}

pub mod avx512 {
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn dot(total: __m512i, one: __m512i, other: __m512i) -> __m512i {
        _mm512_add_epi32(total, _mm512_madd_epi16(one, other))
    }

    super::super::kernels::kernels!(
        #[target_feature(enable = "avx512f,avx512bw")]
        __m512i, __m512i, tiles: 8 4 2 1,
        _mm512_set1_epi16, _mm512_add_epi16, _mm512_sub_epi16, _mm512_min_epi16,
        _mm512_max_epi16, _mm512_mullo_epi16, dot
    );
}
